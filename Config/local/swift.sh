#!/usr/bin/env bash
# Ends with 1 where Swift is missing or too old, and says where to get it. By bash alone, so that nothing else has to be
# there.
wanted=6.3
where="Debian has no package of it; get it at https://www.swift.org/install and have it in PATH"
if ! command -v swift >/dev/null; then
    echo "Swift $wanted or newer is needed, and there is no swift in PATH: $where" >&2
    exit 1
fi
found=$(swift --version 2>&1)
if [[ ! $found =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]]; then
    echo "Swift $wanted or newer is needed, and swift --version says: ${found%%$'\n'*}" >&2
    exit 1
fi
major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
if ((major < ${wanted%.*} || (major == ${wanted%.*} && minor < ${wanted#*.}))); then
    echo "Swift $wanted or newer is needed, and this is $major.$minor: $where" >&2
    exit 1
fi
