/** Pillar between real and own programs: whoever makes it and whoever asks for it, it is the same. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ours, type Fleet } from '../support/fleet.ts';
import { createFleet, interop, restartMaster, untilAnswers } from './real-salt.ts';

/** A target of each kind; those that are called `other` mean none of the minions. */
const TARGETS: readonly (readonly [name: string, target: string, match: string | undefined])[] = [
  ['all', "'*'", undefined],
  ['glob', "'?1*'", 'glob'],
  ['glob_other', "'x?'", 'glob'],
  ['pcre', "'[ro]\\d'", 'pcre'],
  ['pcre_other', "'[a-n]\\d'", 'pcre'],
  ['list', "'r1,o1,else'", 'list'],
  ['grain', "'kernel:Lin*'", 'grain'],
  ['grain_nested', "'site:rack:7'", 'grain'],
  ['grain_other', "'kernel:Darwin'", 'grain'],
  ['grain_pcre', "'kernel:^L.nux$'", 'grain_pcre'],
  ['ipcidr', "'127.0.0.0/8'", 'ipcidr'],
  ['ipcidr_other', "'203.0.113.9'", 'ipcidr'],
  ['compound', "'G@kernel:Linux and not x*'", undefined],
  ['compound_lists', "'( L@r1,o1 or E@z.* ) and P@site:place:^k'", 'compound'],
  ['compound_other', "'not *1'", 'compound'],
  ['nodegroup', "'both'", 'nodegroup'],
  ['nodegroup_in_compound', "'N@both'", undefined],
  ['pillar', "'given:yes'", 'pillar'],
  ['pillar_exact', "'exact:yes'", 'pillar_exact'],
  ['pillar_pcre', "'given:y.*'", 'pillar_pcre'],
];

function makePillar(fleet: Fleet): void {
  const write = (path: string, ...lines: string[]): void => {
    mkdirSync(dirname(fleet.path('pillar', path)), { recursive: true });
    writeFileSync(fleet.path('pillar', path), `${lines.join('\n')}\n`);
  };
  const entries = TARGETS.flatMap(([name, target, match]) => [
    `  ${target}:`,
    ...(match === undefined ? [] : [`    - match: ${match}`]),
    `    - kinds.${name}`,
  ]);
  write(
    'base/top.sls',
    'base:',
    ...entries,
    "  'r1 or o1':",
    '    - more',
    '    - grün.日本',
    'dev:',
    "  '*1':",
    '    - only',
  );
  for (const [name] of TARGETS) write(`base/kinds/${name}.sls`, `kinds: {${name}: true}`);
  write(
    'base/more/init.sls',
    'include:',
    '  - .part',
    '  - deep.down:',
    '      key: below',
    '      defaults: {size: 3}',
    "{% from 'map.jinja' import names with context %}",
    'names: {{ names | json }}',
    "echo: {{ salt['test.echo']('heard') }}",
    'lists: {a: [1, 2], b: {c: 1, d: null}}',
    'floats: [1.0, 2.5, 1e3]',
    'texts: ["yes", on, 0o17, 2020-01-02, "ü"]',
  );
  write(
    'base/more/part.sls',
    'lists: {a: [3], b: {c: 2, e: 5}}',
    'sls: {{ sls }} {{ tpldir }} {{ slspath }}',
  );
  write('base/deep/down.sls', 'size: {{ size }}', 'env: {{ saltenv }}');
  write('base/map.jinja', "{% set names = [grains.id, grains.kernel, 'Zoë'] %}");
  write('base/grün/日本.sls', 'schlüssel: {ключ: "☃"}');
  write('dev/only.sls', 'from_dev: true');
  write('dev/top.sls', 'dev:', "  '*':", '    - second');
  write('dev/second.sls', 'second_of_dev: {{ saltenv }}');
  write(
    'external.sh',
    `echo "{\\"from_command\\": \\"$1\\", \\"given\\": \\"yes\\", \\"exact\\": \\"yes\\"}"`,
  );
  symlinkSync('deep', fleet.path('pillar/base/tief'));
}

async function answersOf(fleet: Fleet, id: string): Promise<Record<string, unknown>> {
  const calls: Record<string, string[]> = {
    items: ['pillar.items'],
    dev: ['pillar.items', 'pillarenv=dev'],
    base: ['pillar.items', 'pillarenv=base'],
    override: ['pillar.items', 'pillar={given: "yes", lists: {a: [9]}}'],
    nested: ['pillar.get', 'lists:b:c'],
    fallback: ['pillar.get', 'no:such', 'else'],
    names: ['pillar.ls'],
    keys: ['pillar.keys', 'lists'],
    raw: ['pillar.raw', 'schlüssel'],
    item: ['pillar.item', 'echo', 'lists:a', 'none'],
  };
  const answers: Record<string, unknown> = {};
  for (const [name, words] of Object.entries(calls)) {
    const answer = (await fleet.json(['-t', '60', id, ...words]))[id];
    const text = JSON.stringify(sorted(answer ?? null)).replaceAll(`"${id}"`, '"ID"');
    answers[name] = JSON.parse(text) as unknown;
  }
  return answers;
}

/** Names in an order of their own, as `pillar.ls` gives them by hash. */
function sorted(answer: unknown): unknown {
  return Array.isArray(answer) && answer.every((item) => typeof item === 'string')
    ? [...answer].sort()
    : answer;
}

interop('pillar is the same whoever makes it and whoever asks for it', async (t, real) => {
  const fleet = await createFleet(t);
  fleet.configureMaster([
    'auto_accept: True',
    `pillar_roots: {base: [${fleet.path('pillar/base')}], dev: [${fleet.path('pillar/dev')}]}`,
    "nodegroups: {both: 'L@r1,o1', inner: N@both}",
    'ext_pillar_first: True',
    `ext_pillar: [{cmd_json: 'sh ${fleet.path('pillar/external.sh')} %s'}]`,
  ]);
  makePillar(fleet);
  const grains = ['grains: {site: {rack: 7, place: kitchen}}'];
  const answers = new Map<string, Record<string, unknown>>();
  for (const master of [ours, real]) {
    if (master === ours) await fleet.startMaster(master);
    else await restartMaster(fleet, master);
    for (const [id, minion] of [
      ['r1', real],
      ['o1', ours],
    ] as const) {
      if (master === ours) await fleet.joinMinion(id, grains, minion);
      await untilAnswers(fleet, id, master);
      answers.set(`${minion.name} on ${master.name}`, await answersOf(fleet, id));
    }
  }
  const [first, ...others] = [...answers];
  assert.ok(first !== undefined);
  const items = first[1]['items'] as Record<string, unknown>;
  assert.equal(items['_errors'], undefined, JSON.stringify(items['_errors']));
  const kinds = (answer: unknown): string[] => Object.keys((answer as { kinds: object }).kinds).sort();
  const meant = TARGETS.map(([name]) => name).filter((name) => !name.endsWith('_other'));
  assert.deepEqual(kinds(items), meant.sort());
  assert.deepEqual(items['schlüssel'], { ключ: '☃' });
  for (const [name, answer] of others) assert.deepEqual(answer, first[1], `${name} differs from ${first[0]}`);
});
