//! JSON against the schemas in the repository.

use serde_json::Value;

use super::Desk;

/// The schema of one submission's report.
const REPORT: &str = include_str!("../../src/report/report.v1.schema.json");

/// The words of JSON Schema that the schemas use.
const KNOWN: [&str; 14] = [
    "$schema",
    "$id",
    "$defs",
    "title",
    "description",
    "type",
    "required",
    "properties",
    "items",
    "enum",
    "const",
    "anyOf",
    "minimum",
    "$ref",
];

/// What in a value is not as a schema says, as paths.
pub fn faults_of(schema: &str, value: &Value) -> Vec<String> {
    let schema = serde_json::from_str(schema).unwrap();
    faults(&schema, &schema, value, "")
}

fn faults(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    for word in schema.as_object().unwrap().keys() {
        assert!(KNOWN.contains(&word.as_str()), "the schema uses {word}, which this test does not know");
    }
    if let Some(reference) = schema.get("$ref") {
        return match reference.as_str().unwrap().strip_prefix("#/$defs/") {
            Some(name) => faults(root, &root["$defs"][name], value, path),
            None => {
                let report: Value = serde_json::from_str(REPORT).unwrap();
                // One relative to the other.
                assert_eq!(
                    (root["$id"].as_str(), reference.as_str()),
                    (Some("check/results/v1"), Some("../report/v1"))
                );
                assert_eq!(report["$id"], "check/report/v1");
                faults(&report, &report, value, path)
            }
        };
    }
    let mut found = vec![];
    let mut expect = |holds: bool, what: String| {
        if !holds {
            found.push(format!("{path}: {what}, but it is {value}"));
        }
    };
    if let Some(kind) = schema.get("type") {
        let is = |kind: &Value| match kind.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("{other}"),
        };
        let holds = kind.as_array().map_or_else(|| is(kind), |kinds| kinds.iter().any(is));
        expect(holds, format!("type {kind}"));
    }
    if let Some(allowed) = schema.get("enum") {
        expect(allowed.as_array().unwrap().contains(value), format!("one of {allowed}"));
    }
    if let Some(constant) = schema.get("const") {
        expect(constant == value, format!("{constant}"));
    }
    if let (Some(minimum), Some(number)) = (schema.get("minimum"), value.as_f64()) {
        expect(number >= minimum.as_f64().unwrap(), format!("at least {minimum}"));
    }
    if let Some(schemas) = schema.get("anyOf") {
        let fits = schemas.as_array().unwrap().iter().any(|schema| faults(root, schema, value, path).is_empty());
        expect(fits, "any of several forms".to_owned());
    }
    if value.is_object() {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            expect(value.get(name.as_str().unwrap()).is_some(), format!("with {name}"));
        }
    }
    if let (Some(properties), Some(fields)) = (schema.get("properties"), value.as_object()) {
        for (name, field) in fields {
            match properties.get(name) {
                Some(schema) => found.extend(faults(root, schema, field, &format!("{path}.{name}"))),
                None => found.push(format!("{path}.{name}: the schema does not know it")),
            }
        }
    }
    if let (Some(schema), Some(items)) = (schema.get("items"), value.as_array()) {
        for (index, item) in items.iter().enumerate() {
            found.extend(faults(root, schema, item, &format!("{path}[{index}]")));
        }
    }
    found
}

#[test]
fn reports_are_as_the_schema_says() {
    for (assignment, program) in [
        ("darts", "darts/good/text_only_functions.py"),
        ("darts", "darts/bad/name_error_in_bust.py"),
        ("darts", "darts/bad/missing_colon.py"),
        ("darts", "darts/bad/winner_for_ever.py"),
        ("racko", "racko/bad/one_space_before_the_rack.py"),
    ] {
        let said = Desk::with_student(program).check(&[assignment, "student.py", "--format", "json"]);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(faults_of(REPORT, &report), Vec::<String>::new(), "{program}");
    }
    assert!(!faults_of(REPORT, &serde_json::json!({"schema": "check/report/v2"})).is_empty());
}

#[test]
fn of_a_hidden_case_only_title_and_verdict_are_shown() {
    let desk = Desk::with("print('Player 1')\n");
    desk.write_hidden_case();
    let said = desk.check(&["./mine", "student.py", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let case = report["cases"][0].as_object().unwrap();
    for (name, value) in case {
        let is_shown = ["id", "title", "verdict", "points", "max_points"].contains(&name.as_str());
        assert!(is_shown || value.is_null() || value == "", "{name}: {value}");
    }
    let said = desk.check(&["./mine", "student.py"]);
    assert!(said.out.contains("the first dart") && !said.out.contains("your turn"), "{}", said.out);
    let said = desk.check(&["./mine", "student.py", "--for", "instructor"]);
    assert!(said.out.contains("the first dart") && said.out.contains("it's your turn"), "{}", said.out);
}
