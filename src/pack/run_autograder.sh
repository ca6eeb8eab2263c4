#!/bin/sh
# Grades one submission: Gradescope runs this as root when the submission is in its place.
set -u
umask 077
root=${CHECK_AUTOGRADER_ROOT:-/autograder}
source=$root/source
results=$root/results
assignment=ASSIGNMENT
report='--format gradescope --for student'
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TMPDIR=/tmp

# Writes a result without a grade. The student reads $1, the instructor $2; both are the inside of a JSON string.
nothing_graded() {
    cat >"$results/new.json" <<END
{
  "score": 0,
  "output_format": "text",
  "stdout_visibility": "hidden",
  "output": "$1",
  "tests": [
    {
      "name": "For the instructor: why nothing was graded",
      "visibility": "hidden",
      "status": "failed",
      "score": 0,
      "max_score": 0,
      "output_format": "text",
      "output": "$2"
    }
  ]
}
END
    mv -f "$results/new.json" "$results/results.json"
}

# Makes the inside of a JSON string of a text that may hold anything.
quoted() {
    printf '%s' "$1" | head -c 4000 | sed 's/[^ -~]/?/g' | tr -c '\n -~' '?' | sed 's/[\\"]/\\&/g' | awk 1 ORS='\\n'
}

# What came with the submission is root's alone, like the cases. A link could hand a case to the program as its own file.
mkdir -p "$results"
chmod 0700 "$results" "$root/submission"
[ ! -e "$root/submission_metadata.json" ] || chmod 0600 "$root/submission_metadata.json"
find "$root/submission" -type l -delete
rm -rf "$results/results.json" "$results/new.json"

# This stands if the rest does not come to its end.
fault="Nothing was graded: the autograder itself failed. This is no fault of your program. Please tell your instructor."
nothing_graded "$fault" 'The autograder was stopped before it was done, for example by a limit of time or memory.'

cd "$root" || exit
# Without --require-isolation the program could run as root, whom no mode of a file keeps out.
said=$("$source/check" "$assignment" submission $report --require-isolation user --output "$results/new.json" 2>&1)
status=$?
printf '%s\n' "$said"
case $status in
0 | 1)
    mv -f "$results/new.json" "$results/results.json"
    ;;
*)
    why=$(quoted "$said")
    case $said in
    'check: submission'*)
        # The one thing that a student can put right.
        fault="Nothing was graded: what you submitted is not one program that can be run.\\n\\n$why\\nSubmit one .py file. Other modules and files of yours can lie in a folder beside it."
        ;;
    esac
    nothing_graded "$fault" "check ended with status $status and said:\\n\\n$why"
    ;;
esac
