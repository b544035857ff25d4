import { serveGrains } from '../cli/call/caller-grains.ts';

serveGrains(process.stdin, process.stdout).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`salt-call: the grains cannot be collected: ${String(error)}\n`);
    process.exit(1);
  },
);
