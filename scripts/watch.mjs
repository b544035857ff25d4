// Builds anew whenever a source changes: `npm run watch`. Without code caches, man pages and completion scripts, which
// take longer than all the rest; a daemon that runs has to be started again.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

/** An editor writes a file in several steps, and git many files. */
const QUIET_MS = 150;

let building = false;
let isStale = true;
let timer;

function build() {
  building = true;
  isStale = false;
  const began = performance.now();
  const env = { ...process.env, BRINE_BUILD: 'quick' };
  const child = spawn(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit', env });
  child.on('exit', (code) => {
    building = false;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(
      code === 0 ? `Built in ${seconds} s.\n` : 'Not built: see above. The next change tries again.\n',
    );
    if (isStale) build();
  });
}

function changed(_event, name) {
  // what a build writes itself
  if (String(name).endsWith('.generated.ts') || String(name).includes('__pycache__')) return;
  isStale = true;
  clearTimeout(timer);
  timer = setTimeout(() => building || build(), QUIET_MS);
}

watch(join(root, 'src'), { recursive: true }, changed);
process.stdout.write('Watching src; Ctrl-C ends.\n');
build();
