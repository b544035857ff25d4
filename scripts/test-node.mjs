// Runs tests with another Node: `npm run test:node -- 24 [unit|e2e|…] [part of a file's name…]`. `turn` in place of a
// version takes one of the versions beside this one, another one each day.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './bundle.mjs';
import { NODE_RELEASES, nodeRelease } from './node-releases.mjs';
import { orSay } from './run-program.mjs';

const DAY_MS = 86_400_000;

const [asked, ...words] = process.argv.slice(2);
if (asked === undefined) {
  console.error(`Name a version of Node: ${Object.keys(NODE_RELEASES).join(', ')}, or turn.`);
  process.exit(64);
}
const major = asked === 'turn' ? ofToday() : asked;
const folder = join(await orSay(() => nodeRelease(major)), 'bin');
console.log(`Tests with Node ${NODE_RELEASES[major].version}:`);
const { status, signal } = spawnSync(
  join(folder, 'node'),
  [join(root, 'scripts/test.mjs'), ...(words.length > 0 ? words : ['unit'])],
  { stdio: 'inherit', env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` } },
);
process.exit(status ?? (signal === null ? 1 : 128));

function ofToday() {
  const others = Object.keys(NODE_RELEASES).filter((each) => each !== process.versions.node.split('.')[0]);
  return others[Math.floor(Date.now() / DAY_MS) % others.length];
}
