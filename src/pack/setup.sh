#!/bin/sh
# Prepares the image, once: Gradescope runs this as root where `autograder.zip` is unpacked.
set -eu
root=${CHECK_AUTOGRADER_ROOT:-/autograder}
source=$root/source
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

if ! command -v python3 >/dev/null; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3
fi

# Submissions run as another user: the binary and the cases are root's alone.
chown -R 0:0 "$source"
chmod -R go= "$source"
chmod 0700 "$source" "$source/check"

if ! said=$("$source/check" doctor); then
    echo "check can't work on this image; what it said stands above. It wants Linux on x86-64 with a C library as new" >&2
    echo "as that of the machine where its binary was made, and Python 3.8 or later." >&2
    exit 1
fi
printf '%s\n' "$said"
if ! printf '%s\n' "$said" | grep -q '^user  *enforced$'; then
    echo "Submissions can't run as another user on this image; the line that begins with \"user\" says why." >&2
    exit 1
fi
