# The official client of the Tinker protocol, unchanged, in the release that others' servers speak and in the newest: it trains, trains a loss of its own,
# saves, samples, and goes on bit for bit when the server was killed.
drive=()
if have_shared; then
  drive=(--drive "$shared/tinker/drive_server.py")
else
  left_out "the program that calls every feature of the Tinker client"
fi
for release in 0.25.0 newest; do
  quietly "$(sdk "$release")/bin/python" bench/tinker/sdk.py --parley "$(parley)" "${drive[@]}"
done
# A recipe on this machine, and a loop of the SDK that does the same, train the same adapters.
quietly "$(sdk newest)/bin/python" bench/tinker/same.py --parley "$(parley)"
# Two recipes of tinker-cookbook, unchanged: supervised training of a chat file, and tic-tac-toe by self-play.
quietly "$(cookbook)/bin/python" bench/tinker/cookbook.py --parley "$(parley)" | grep --text --extended-regexp '^(supervised|tic-tac-toe|what was sampled)'
