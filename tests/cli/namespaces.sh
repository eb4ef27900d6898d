#!/bin/sh
# namespaces.sh RANKS MPIEXEC PROGRAM ARGUMENT...: every rank on a machine of its own, as far as networks tell: a
# network namespace with a name and one address, joined to the others by a bridge alone; MPI's messages go by TCP. All
# is made in namespaces of this script's own, and is gone with it. Ends with 77, and why, where this user may not make
# them.
if [ "$1" = inside ]; then
  shift
  ranks=$1 mpiexec=$2
  shift 2
  set -e
  mount -t tmpfs none /run # names of namespaces are this script's own
  ip link add name fdtd type bridge
  ip addr add 10.87.0.1/24 dev fdtd
  ip link set fdtd up
  ip link set lo up
  hosts=
  for i in $(seq "$ranks"); do
    ip netns add "rank$i"
    ip link add name "to$i" type veth peer name eth0 netns "rank$i"
    ip link set "to$i" master fdtd up
    ip -n "rank$i" addr add "10.87.0.$((i + 1))/24" dev eth0
    ip -n "rank$i" link set eth0 up
    ip -n "rank$i" link set lo up
    hosts=$hosts${hosts:+,}10.87.0.$((i + 1))
  done
  # Stands in for ssh: "HOST COMMAND" runs in the host's namespace, under a name of its own.
  cat >/run/agent <<'AGENT'
#!/bin/sh
i=$((${1##*.} - 1))
shift
exec ip netns exec "rank$i" unshare --uts sh -c "hostname machine$i; $*"
AGENT
  chmod +x /run/agent
  exec "$mpiexec" -n "$ranks" --host "$hosts" --mca plm_rsh_agent /run/agent --mca btl tcp,self --mca pml ob1 \
    --mca oob_tcp_if_include 10.87.0.0/24 --mca btl_tcp_if_include 10.87.0.0/24 "$@"
fi
for tool in ip unshare; do
  command -v $tool >/dev/null || { echo "there is no $tool here"; exit 77; }
done
unshare --net --mount sh -c 'mount -t tmpfs none /run && ip link add name fdtd type bridge && ip netns add rank1' 2>/dev/null ||
  { echo "this user may not make network namespaces"; exit 77; }
exec unshare --net --mount sh "$0" inside "$@"
