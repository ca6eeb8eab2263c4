//! From the raw files to an assignment: each file held against the others and against the game.

use std::collections::{BTreeSet, HashSet};

use reference::Game;
use reference::functions::{self, Value};
use reference::rules::Rule;
use reference::rulings::Question;
use serde::de::DeserializeOwned;

use super::calls::{Call, CallCase, ExpectedCall};
use super::case::{Case, DiceRuns, Script, Task};
use super::checks::{Ask, Check, Finding, Forbidden, RuleId, signature};
use super::error::{AssignmentError, FileError, did_you_mean};
use super::raw::{Input, RawAssignment, RawCase, RawCheck, RawDice, RawLimits, RawRulings};
use super::source::{ASSIGNMENT_FILE, CASES_FOLDER, Source};
use super::transcript::StoredTranscript;
use super::value::{Fault, List};
use super::yaml::{self, Step};
use super::{AcceptedAnswers, Assignment, CaseId, Limits, Points, Seed, Share, nearest};

/// A YAML file, with what is needed to speak of a place in it.
struct Document {
    name: String,
    text: String,
}

impl Document {
    fn new(name: String, text: &str) -> Document {
        // A byte order mark is no fault; neither the parser nor an editor counts it.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        Document { name, text }
    }

    fn load<T: DeserializeOwned>(&self) -> Result<T, AssignmentError> {
        yaml::load(&self.name, &self.text)
    }

    /// A fault at the end of a way.
    fn fault(&self, way: &[Step<'_>], message: impl Into<String>, help: impl Into<String>) -> AssignmentError {
        let position = yaml::position(&self.text, way);
        yaml::fault_at(&self.name, &self.text, position, Fault::new(message, help))
    }

    /// A key that has to be there.
    fn required<T>(&self, value: Option<T>, way: &[Step<'_>], key: &str, example: &str) -> Result<T, AssignmentError> {
        value.ok_or_else(|| {
            self.fault(way, format!("the key `{key}` is missing"), format!("add a line such as `{example}`"))
        })
    }

    /// Inputs, each of which has to stand in quotes.
    fn inputs(&self, inputs: List<Input>, way: &[Step<'_>]) -> Result<Vec<String>, AssignmentError> {
        if let Some((entry, position)) = yaml::unquoted_entry(&self.text, way, inputs.0.len()) {
            let fault = Fault::new(
                "an input must be a quoted string, and this has no quotes",
                format!("put it in quotes: {:?}", inputs.0[entry].0),
            );
            return Err(yaml::fault_at(&self.name, &self.text, position, fault));
        }
        Ok(inputs.0.into_iter().map(|Input(input)| input).collect())
    }

    /// A seed, which does not stand in quotes.
    fn seed(&self, seed: Seed, way: &[Step<'_>]) -> Result<Seed, AssignmentError> {
        if yaml::is_quoted(&self.text, way) {
            return Err(self.fault(
                way,
                "this is a text, and a seed is a whole number",
                format!("take the quotes away: {seed}"),
            ));
        }
        Ok(seed)
    }
}

/// What a transcript is that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// A fault.
    Fault,
    /// An empty text, for those who are about to write it.
    Empty,
}

/// Reads and checks an assignment.
///
/// `missing` says what becomes of a case without its transcript.
pub(super) fn assignment(source: Source, missing: Missing) -> Result<Assignment, AssignmentError> {
    let name = source.file_name(ASSIGNMENT_FILE);
    let text = source
        .read(ASSIGNMENT_FILE)?
        .ok_or_else(|| FileError::new(&name, "there is no such file", "an assignment has this file"))?;
    let document = Document::new(name, &text);
    let raw: RawAssignment = document.load()?;
    let title = document.required(raw.title, &[], "title", "title: Darts 501")?.0;
    let game = document.required(raw.game, &[], "game", "game: darts")?.0;
    let rulings = rulings(&document, game, raw.rulings.unwrap_or(RawRulings(Vec::new())))?;
    let ids = document.required(raw.cases, &[], "cases", "cases: [model-game]")?.0;
    check_ids(&document, &ids)?;
    check_files(&document, &source, &ids)?;

    let checks = checks(&document, &title, game, raw.checks.unwrap_or_default(), &ids)?;
    let mut cases: Vec<Case> = Vec::new();
    let mut calls = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let file = match case(&source, game, id, missing, &checks)? {
            Listed::Case(case) => case,
            Listed::Call(call) => {
                calls.push(call);
                continue;
            }
        };
        if let Some(dice) = cases.last().filter(|case| matches!(case.task, Task::Dice(_))) {
            let way = [Step::Key("cases"), Step::Index(index)];
            return Err(document.fault(
                &way,
                format!("`{}` judges the dice of all runs, and `{id}` follows it", dice.id),
                "a case with `dice` stands last, and there is at most one: move its line to the end",
            ));
        }
        cases.push(file);
    }
    if cases.is_empty() {
        return Err(document.fault(
            &[Step::Key("cases")],
            "all of these cases call a function",
            "an assignment has at least one case in which the program is run: `inputs: […]`",
        ));
    }
    Ok(Assignment {
        name: source.name(),
        title,
        game,
        limits: limits(raw.limits),
        presentation_credit: raw.presentation_credit.unwrap_or(Share::HALF),
        rulings,
        cases,
        checks,
        calls,
        source,
    })
}

/// What is asked of the code.
fn checks(
    document: &Document,
    title: &str,
    game: Game,
    raw: Vec<RawCheck>,
    cases: &[CaseId],
) -> Result<Vec<Check>, AssignmentError> {
    let mut checks: Vec<Check> = Vec::new();
    for (index, raw) in raw.into_iter().enumerate() {
        let way = [Step::Key("checks"), Step::Index(index)];
        let check = check(document, title, game, raw, &way)?;
        if cases.contains(&check.id) || checks.iter().any(|other| other.id == check.id) {
            let message = format!("`{}` is the id of another check or of a case", check.id);
            return Err(document.fault(&way, message, "give each an id of its own"));
        }
        checks.push(check);
    }
    Ok(checks)
}

fn check(
    document: &Document,
    title: &str,
    game: Game,
    raw: RawCheck,
    way: &[Step<'_>],
) -> Result<Check, AssignmentError> {
    fn texts<T>(list: List<T>, text: impl Fn(T) -> String) -> Vec<String> {
        list.0.into_iter().map(text).collect()
    }
    let id = document.required(raw.id, way, "id", "id: comments")?;
    let had_place = raw.within.is_some();
    let within = raw.within.map(|name| name.0);
    let is_empty = |what: usize, key: &str| {
        (what == 0)
            .then(|| document.fault(way, format!("`{key}` names nothing"), "name at least one, or delete the check"))
    };
    let comments = raw.comments.map(|kinds| kinds.0);
    let imports = raw.imports.map(|names| texts(names, |name| name.0));
    let calls = raw.forbidden_calls.map(|names| texts(names, |name| name.0));
    let constructs = raw.forbidden_constructs.map(|constructs| constructs.0);
    for (key, count) in [
        ("comments", comments.as_ref().map(Vec::len)),
        ("imports", imports.as_ref().map(Vec::len)),
        ("forbidden_calls", calls.as_ref().map(Vec::len)),
        ("forbidden_constructs", constructs.as_ref().map(Vec::len)),
    ] {
        if let Some(fault) = count.and_then(|count| is_empty(count, key)) {
            return Err(fault);
        }
    }
    let asked: Vec<Ask> = [
        raw.function.map(Ask::Function),
        raw.list.map(Ask::List),
        comments.map(Ask::Comments),
        raw.documents.map(|topic| Ask::Documents(topic, title.to_owned())),
        raw.header.map(|labels| Ask::Header(texts(labels, |label| label.0))),
        raw.file_name.map(|name| Ask::FileName(name.0)),
        raw.call.map(Ask::Call),
        imports.map(Ask::Imports),
        raw.only_imports.map(|names| Ask::OnlyImports(texts(names, |name| name.0))),
        calls.map(|what| Ask::NoCalls(Forbidden { what, within: within.clone() })),
        constructs.map(|what| Ask::NoConstructs(Forbidden { what, within: within.clone() })),
    ]
    .into_iter()
    .flatten()
    .collect();
    let Ok([ask]) = <[Ask; 1]>::try_from(asked) else {
        let help = "write one of function, list, comments, documents, header, file_name, call, imports, only_imports, \
                    forbidden_calls, forbidden_constructs";
        return Err(document.fault(way, format!("the check `{id}` has to ask for exactly one thing"), help));
    };
    if had_place && !matches!(ask, Ask::NoCalls(_) | Ask::NoConstructs(_)) {
        let message = "only what is forbidden can be forbidden `within` a function";
        return Err(document.fault(way, message, "delete the line `within: …`"));
    }
    let (points, is_note) = worth(document, way, &id, raw.points, raw.finding)?;
    let rule = rule(document, way, game, raw.rule)?;
    Ok(Check { id, points, is_note, rule, ask })
}

/// The rule behind a check, which is one of the game's.
fn rule(
    document: &Document,
    way: &[Step<'_>],
    game: Game,
    rule: Option<RuleId>,
) -> Result<Option<&'static Rule>, AssignmentError> {
    match rule {
        Some(RuleId(rule)) if !game.rules().contains(&rule) && !game.code_rules().contains(&rule) => {
            let message = format!("`{}` is a rule of another game than {}", rule.id, game.name());
            let help = format!("`check rules {}` lists its own; a check of your own needs none", game.name());
            Err(document.fault(way, message, help))
        }
        rule => Ok(rule.map(|rule| rule.0)),
    }
}

/// What a check is worth, and whether what it finds is only noted.
fn worth(
    document: &Document,
    way: &[Step<'_>],
    id: &CaseId,
    points: Option<Points>,
    finding: Option<Finding>,
) -> Result<(Points, bool), AssignmentError> {
    match (finding, points) {
        (Some(Finding::Note), Some(points)) if points > Points::ZERO => {
            let message = format!("the check `{id}` is a note, which is worth no points");
            Err(document.fault(way, message, "delete `points: …`, or write `finding: fault`"))
        }
        (Some(Finding::Note), _) => Ok((Points::ZERO, true)),
        (_, points) => Ok((points.unwrap_or(Points::ONE), false)),
    }
}

fn limits(raw: Option<RawLimits>) -> Limits {
    let mut limits = Limits::default();
    if let Some(RawLimits { time, output, memory }) = raw {
        limits.time = time.map_or(limits.time, |seconds| seconds.0);
        limits.output = output.map(|bytes| bytes.0);
        limits.memory_mib = memory.map_or(limits.memory_mib, |mib| mib.0);
    }
    limits
}

/// What is accepted, for every question of the game: all answers, unless the file says otherwise.
fn rulings(document: &Document, game: Game, raw: RawRulings) -> Result<Vec<AcceptedAnswers>, AssignmentError> {
    let questions = game.questions();
    for (id, _) in &raw.0 {
        if !questions.iter().any(|question| question.id == id) {
            let ids = questions.iter().map(|question| question.id);
            return Err(document.fault(
                &[Step::Key("rulings"), Step::Name(id)],
                format!("{} has no open question {id:?}{}", game.name(), did_you_mean(nearest(id, ids.clone()))),
                format!("its open questions are {}", ids.collect::<Vec<_>>().join(", ")),
            ));
        }
    }
    questions
        .iter()
        .map(|question| {
            let ids = question.answers.iter().map(|answer| answer.id);
            let answers = match raw.0.iter().find(|(id, _)| id == question.id) {
                Some((_, said)) => {
                    let said: Vec<&str> = said.answers.iter().map(|answer| answer.0.as_str()).collect();
                    check_answers(document, question, &said)?;
                    ids.filter(|id| said.contains(id)).collect()
                }
                None => ids.collect(),
            };
            Ok(AcceptedAnswers { question, answers })
        })
        .collect()
}

fn check_answers(document: &Document, question: &Question, said: &[&str]) -> Result<(), AssignmentError> {
    let ids = question.answers.iter().map(|answer| answer.id);
    let help = format!("the answers to `{}` are {}", question.id, ids.clone().collect::<Vec<_>>().join(", "));
    let way = |index| [Step::Key("rulings"), Step::Key(question.id), Step::Index(index)];
    if said.is_empty() {
        return Err(document.fault(&way(0)[..2], "no answer is accepted, so that no program could be right", help));
    }
    for (index, answer) in said.iter().enumerate() {
        if !ids.clone().any(|id| id == *answer) {
            let message =
                format!("{answer:?} is no answer to `{}`{}", question.id, did_you_mean(nearest(answer, ids.clone())));
            return Err(document.fault(&way(index), message, help));
        }
        if said[..index].contains(answer) {
            return Err(document.fault(
                &way(index),
                format!("the answer `{answer}` stands twice"),
                "keep one of the two",
            ));
        }
    }
    Ok(())
}

fn check_ids(document: &Document, ids: &[CaseId]) -> Result<(), AssignmentError> {
    if ids.is_empty() {
        return Err(document.fault(
            &[Step::Key("cases")],
            "an assignment has at least one case",
            "list the ids of its cases: `cases: [model-game]`",
        ));
    }
    let mut seen = HashSet::new();
    for (index, id) in ids.iter().enumerate() {
        if !seen.insert(id) {
            let way = [Step::Key("cases"), Step::Index(index)];
            return Err(document.fault(&way, format!("the case `{id}` is listed twice"), "keep one of the two"));
        }
    }
    Ok(())
}

/// Every listed case has its file, and every file its place in the list.
fn check_files(document: &Document, source: &Source, ids: &[CaseId]) -> Result<(), AssignmentError> {
    let Some(files) = source.case_files()? else {
        let folder = source.file_name(CASES_FOLDER);
        return Err(document.fault(
            &[Step::Key("cases")],
            format!("there is no folder {folder}"),
            "make it, and in it a file `<id>.yaml` for each case",
        ));
    };
    let listed: BTreeSet<&str> = ids.iter().map(CaseId::as_str).collect();
    let stems = |ending: &str| -> Vec<&str> { files.iter().filter_map(|file| file.strip_suffix(ending)).collect() };
    let case_files = stems(".yaml");
    for (index, id) in ids.iter().enumerate() {
        if !case_files.contains(&id.as_str()) {
            let free = case_files.iter().copied().filter(|stem| !listed.contains(stem));
            let message = format!(
                "the case `{id}` has no file {}{}",
                source.file_name(&case_path(id)),
                did_you_mean(nearest(id.as_str(), free))
            );
            return Err(document.fault(
                &[Step::Key("cases"), Step::Index(index)],
                message,
                "write that file, or take the id out of the list",
            ));
        }
    }
    for stem in case_files {
        if !listed.contains(stem) {
            let file = source.file_name(&format!("{CASES_FOLDER}/{stem}.yaml"));
            let message = format!("the case file {file} is not in this list");
            return Err(document.fault(
                &[Step::Key("cases")],
                message,
                format!("add `{stem}` where it shall be shown, or delete the file"),
            ));
        }
    }
    if let Some(stem) = stems(".yml").first() {
        let file = source.file_name(&format!("{CASES_FOLDER}/{stem}.yml"));
        return Err(
            FileError::new(file, "the name of a case file ends in .yaml", format!("rename it to {stem}.yaml")).into()
        );
    }
    if let Some(stem) = stems(".transcript").iter().find(|stem| !listed.contains(*stem)) {
        let file = source.file_name(&format!("{CASES_FOLDER}/{stem}.transcript"));
        return Err(FileError::new(
            file,
            format!("this transcript belongs to no case: there is no {stem}.yaml"),
            "write that case, or delete the transcript",
        )
        .into());
    }
    Ok(())
}

fn case_path(id: &CaseId) -> String {
    format!("{CASES_FOLDER}/{id}.yaml")
}

/// What a case file holds.
enum Listed {
    Case(Case),
    Call(CallCase),
}

/// Reads and checks a case with its transcript, or one that calls a function.
fn case(
    source: &Source,
    game: Game,
    id: &CaseId,
    missing: Missing,
    checks: &[Check],
) -> Result<Listed, AssignmentError> {
    let path = case_path(id);
    let name = source.file_name(&path);
    let text = source.read(&path)?.ok_or_else(|| FileError::new(&name, "there is no such file", "write it"))?;
    let document = Document::new(name, &text);
    let mut raw: RawCase = document.load()?;
    let title = document.required(raw.title.take(), &[], "title", "title: a bust on the second dart")?.0;
    let transcript_path = format!("{CASES_FOLDER}/{id}.transcript");
    if raw.call.is_some() {
        if source.read(&transcript_path)?.is_some() {
            let file = source.file_name(&transcript_path);
            return Err(
                FileError::new(file, "a case that calls a function has no transcript", "delete this file").into()
            );
        }
        return call_case(&document, game, id, title, raw, checks).map(Listed::Call);
    }
    for (key, is_there) in [
        ("finding", raw.finding.is_some()),
        ("rule", raw.rule.is_some()),
        ("returns", raw.returns.is_some()),
        ("prints", raw.prints.is_some()),
        ("lists", raw.lists.is_some()),
    ] {
        if is_there {
            let message = format!("`{key}` says something of a call, and there is none");
            return Err(document.fault(&[Step::Name(key)], message, "add `call: …`, or delete this line"));
        }
    }
    let task = match (raw.inputs, raw.dice) {
        (Some(_), Some(_)) => {
            let help = "inputs of one game stand at `inputs`; those of a case of the dice stand inside `dice`";
            return Err(document.fault(&[Step::Name("inputs")], "a case has `inputs` or `dice`, not both", help));
        }
        (None, Some(dice)) => {
            if raw.seed.is_some() {
                let help = "say with `first_seed` in `dice` where the seeds begin";
                return Err(document.fault(&[Step::Name("seed")], "a case of the dice has no `seed` of its own", help));
            }
            let dice = dice_runs(&document, game, dice)?;
            if source.read(&transcript_path)?.is_some() {
                let file = source.file_name(&transcript_path);
                return Err(FileError::new(file, "a case of the dice has no transcript", "delete this file").into());
            }
            Task::Dice(dice)
        }
        (inputs, None) => {
            let inputs = document.required(inputs, &[], "inputs", "inputs: [\"60\", \"60\", \"60\"]")?;
            let inputs = document.inputs(inputs, &[Step::Key("inputs")])?;
            let seed = seed(&document, game, raw.seed)?;
            let file = source.file_name(&transcript_path);
            let text = source.read(&transcript_path)?;
            let empty = (missing == Missing::Empty).then(String::new);
            let text = text.or(empty).ok_or_else(|| {
                let help = format!(
                    "`check transcript {} --script FILE{}` prints what the reference says: review it and store it there",
                    game.name(),
                    seed.as_ref().map(|seed| format!(" --seed {seed}")).unwrap_or_default()
                );
                FileError::new(&file, format!("the case `{id}` has no transcript: there is no such file"), help)
            })?;
            Task::Script(Script { inputs, seed, transcript: StoredTranscript { file, text } })
        }
    };
    Ok(Listed::Case(Case {
        id: id.clone(),
        title,
        points: raw.points.unwrap_or(Points::ONE),
        visibility: raw.visibility.unwrap_or_default(),
        task,
        file: document.name,
    }))
}

/// A case that calls a function.
fn call_case(
    document: &Document,
    game: Game,
    id: &CaseId,
    title: String,
    raw: RawCase,
    checks: &[Check],
) -> Result<CallCase, AssignmentError> {
    for (key, is_there) in [("dice", raw.dice.is_some()), ("seed", raw.seed.is_some())] {
        if is_there {
            let message = format!("a case that calls a function has no `{key}`");
            return Err(document.fault(&[Step::Name(key)], message, "delete this line"));
        }
    }
    let calls = raw.call.map(|calls| calls.0).unwrap_or_default();
    let Some(first) = calls.first() else {
        let help = "write one such as `call: is_dart_valid(60)`";
        return Err(document.fault(&[Step::Key("call")], "no function is called", help));
    };
    let inputs = raw.inputs.unwrap_or(List(vec![]));
    let inputs = document.inputs(inputs, &[Step::Key("inputs")])?;
    let mut expected = ExpectedCall {
        returns: raw.returns.map(|value| value.0),
        prints: raw.prints.map(|text| text.0),
        lists: vec![],
    };
    for (name, numbers) in raw.lists.unwrap_or_default() {
        let argument = parameter(checks, first, &name).ok_or_else(|| {
            let message = format!("`{}` is given no list that is named `{name}`", first.function);
            let help = format!("the names are those of a check: `function: {}(…)` among the checks", first.function);
            document.fault(&[Step::Key("lists"), Step::Name(&name)], message, help)
        })?;
        expected.lists.push((argument, numbers));
    }
    let is_said = expected != ExpectedCall::default();
    if !is_said {
        check_known(document, game, &calls, &inputs)?;
    } else if calls.iter().any(|call| call.function != first.function) {
        let message = "what is expected holds for every call, and these call several functions";
        return Err(document.fault(&[Step::Key("call")], message, "write a case for each function"));
    }
    let (points, is_note) = worth(document, &[], id, raw.points, raw.finding)?;
    Ok(CallCase {
        id: id.clone(),
        title,
        points,
        is_note,
        visibility: raw.visibility.unwrap_or_default(),
        rule: rule(document, &[], game, raw.rule)?,
        calls,
        inputs,
        expected: is_said.then_some(expected),
    })
}

/// Which argument of a call is the list of this name.
fn parameter(checks: &[Check], call: &Call, name: &str) -> Option<usize> {
    let names = signature(checks, &call.function)?.parameters.as_ref()?;
    let argument = names.iter().position(|own| own.as_deref() == Some(name))?;
    matches!(call.arguments.get(argument), Some(Value::List(_))).then_some(argument)
}

/// The reference has to know what it is not told.
fn check_known(document: &Document, game: Game, calls: &[Call], inputs: &[String]) -> Result<(), AssignmentError> {
    for call in calls {
        let (message, help) = match functions::call(game, &call.function, &call.arguments, inputs) {
            Some(Ok(called)) if called.unread == 0 => continue,
            Some(Ok(_)) => (format!("`{call}` does not ask for all of the inputs"), "take those away that are left"),
            Some(Err(stop)) => {
                (format!("`{call}` can't be answered so: {stop}"), "give it the inputs that it asks for")
            }
            None => (
                format!("what `{call}` does is known to no reference"),
                "say what is expected with `returns: …`, `prints: …` or `lists: …`",
            ),
        };
        return Err(document.fault(&[Step::Key("call")], message, help));
    }
    Ok(())
}

/// A fault of one input of a case that was read from here.
pub(super) fn input_fault(source: &Source, case: &Case, input: usize, message: String, help: &str) -> AssignmentError {
    let text = match source.read(&case_path(&case.id)) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return error,
    };
    let dice = matches!(case.task, Task::Dice(_)).then_some(Step::Key("dice"));
    let way: Vec<Step<'_>> = dice.into_iter().chain([Step::Key("inputs"), Step::Index(input)]).collect();
    Document::new(case.file.clone(), &text).fault(&way, message, help)
}

/// A seed is there where the game needs one, and only there.
fn seed(document: &Document, game: Game, seed: Option<Seed>) -> Result<Option<Seed>, AssignmentError> {
    match seed {
        Some(_) if !game.needs_seed() => {
            let help = match game {
                Game::Racko => "Rack-O asks for its seed: it is one of the inputs",
                _ => "leave it out: nothing in this game is left to chance",
            };
            Err(document.fault(&[Step::Name("seed")], format!("a case of {} has no `seed`", game.name()), help))
        }
        Some(seed) => document.seed(seed, &[Step::Key("seed")]).map(Some),
        None if game.needs_seed() => document.required(None, &[], "seed", "seed: 2880"),
        None => Ok(None),
    }
}

fn dice_runs(document: &Document, game: Game, raw: RawDice) -> Result<DiceRuns, AssignmentError> {
    if game != Game::Doubles {
        let message = format!("{} throws no dice, so it has no case with `dice`", game.name());
        return Err(document.fault(&[Step::Name("dice")], message, "write `inputs: […]` for a game that is played"));
    }
    let way = [Step::Key("dice")];
    let runs = document.required(raw.runs, &way, "runs", "runs: 150")?.0;
    let first_seed = document.required(raw.first_seed, &way, "first_seed", "first_seed: 1")?;
    let first_seed = document.seed(first_seed, &[Step::Key("dice"), Step::Key("first_seed")])?;
    let inputs = document.required(raw.inputs, &way, "inputs", "inputs: [\"y\", \"\"]")?;
    let inputs = document.inputs(inputs, &[Step::Key("dice"), Step::Key("inputs")])?;
    Ok(DiceRuns { runs, first_seed, inputs })
}
