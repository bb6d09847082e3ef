# The examples run, and the loop learns: the last five rewards are above the first five by a tenth and more.
rm -rf "$work/adapters"
go run ./examples/loop -updates 20 -out "$work/adapters" | tee "$work/loop.log"
ls "$work/adapters"/policy-agent1/adapter_model.safetensors "$work/adapters"/policy-agent2/adapter_model.safetensors
awk '{ if (NR <= 5) first += $4; if (NR > 15) last += $4 } END { printf "first five %.3f, last five %.3f\n", first/5, last/5; exit !(NR == 20 && last > first + 0.1) }' "$work/loop.log"
