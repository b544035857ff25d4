/** Arguments that become fields of lines and operands of programs, over all functions of the modules that have such. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MODULE_TABLE } from '../../../../src/plugins/registry/module/table.generated.ts';
import type { FunctionSpec, ModuleContext } from '../../../../src/runtime/loader/module.ts';
import { checkedCall } from '../../../../src/runtime/loader/built-in-calls.ts';
import { callSpec } from '../../../../src/runtime/loader/execute.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

/** Modules whose functions start no program with an argument, or whose arguments are programs and their options. */
const WITHOUT_RULES = new Set(
  (
    'beacons brine cmd config consul cp data defaults docker elasticsearch environ etcd event file grafana4 ' +
    'grains hashutil http influxdb jinja key ldap ldap3 log match mine mongodb mysql nacl out pillar ' +
    'pkg_resource publish random redis ret salt_version saltcheck saltutil schedule sdb slack slsutil sqlite3 state ' +
    'status sys sysfs test tls vault x509 xml'
  ).split(' '),
);

interface Ruled {
  readonly fun: string;
  readonly spec: FunctionSpec;
}

async function ruledFunctions(): Promise<Ruled[]> {
  const found: Ruled[] = [];
  for (const entry of MODULE_TABLE) {
    const module = await entry.load();
    for (const [name, spec] of Object.entries(module.functions)) {
      const isRuled = spec.words !== undefined;
      assert.equal(
        isRuled,
        !WITHOUT_RULES.has(entry.name),
        `${entry.name}.${name} has rules for its arguments`,
      );
      if (isRuled) found.push({ fun: `${entry.name}.${name}`, spec });
    }
  }
  return found;
}

/** The function as its rules let it be called, with what it was called with. */
function watched({ spec }: Ruled): { spec: FunctionSpec; reached: () => boolean } {
  let isReached = false;
  const run = (): Value => {
    isReached = true;
    return null;
  };
  return { spec: { ...spec, run }, reached: () => isReached };
}

const isExempt = (names: readonly string[] | 'any' | undefined, name: string): boolean =>
  names === 'any' || (names?.includes(name) ?? false);

/** Calls with a text in one argument, also in a list and in a mapping, and words in the others. */
function* callsWith(
  spec: FunctionSpec,
  text: string,
): Generator<readonly [name: string, keywords: Dict, rest: Value[]]> {
  const params = Object.keys(spec.params ?? {});
  for (const value of [text, [text], dict({ [text]: 'word' }), dict({ word: [text] })]) {
    for (const name of params) {
      yield [name, new Map(params.map((each): [Value, Value] => [each, each === name ? value : 'word'])), []];
    }
    const words = new Map(params.map((each): [Value, Value] => [each, 'word']));
    if (spec.kwargs !== undefined) yield ['further', new Map([...words, ['further', value]]), []];
    if (spec.varargs !== undefined && params.length === 0) yield ['*', new Map(), [value]];
  }
}

async function refusedAll(text: string, exempt: 'lines' | 'dashes', said: RegExp): Promise<void> {
  const ctx = fakeContext(); // no call gets as far as to change it
  for (const one of await ruledFunctions()) {
    for (const [name, keywords, positional] of callsWith(one.spec, text)) {
      if (isExempt(one.spec.words?.[exempt], name)) continue;
      const { spec, reached } = watched(one);
      const call = callSpec(one.fun, spec, ctx, { positional, keywords });
      await assert.rejects(call, said, `${one.fun} with ${JSON.stringify(text)} in ${name}`);
      assert.ok(!reached(), `${one.fun} is not run`);
    }
  }
}

test('words - no argument that becomes a field of a line has a line end or a NUL in it', async () => {
  for (const text of ['a\nb', 'a\r', '\0'])
    await refusedAll(
      text,
      'lines',
      /argument \S+ of \S+ cannot have a line end or a NUL in it: (?:'|a str that is not shown here)/,
    );
});

test('words - no argument that becomes an operand of a program begins with a dash', async () => {
  for (const text of ['-x', '--root=/'])
    await refusedAll(
      text,
      'dashes',
      /argument \S+ of \S+ cannot begin with '-', which would make it an option/,
    );
});

/** A context whose commands are only written down. */
function spawnless(opts: DictInit = {}): { readonly ctx: ModuleContext; readonly started: string[][] } {
  const base = fakeContext({ opts: dict({ id: 'minion', ...opts }) });
  const started: string[][] = [];
  const functions: ModuleContext['functions'] = {
    ...base.functions,
    call: checkedCall(async (fun, args, kwargs) => {
      if (!fun.startsWith('cmd.')) return base.functions.call(fun, args, kwargs);
      started.push((Array.isArray(args[0]) ? args[0] : [args[0]]).map(String));
      if (fun === 'cmd.retcode') return 0;
      return fun === 'cmd.run_all' ? dict({ retcode: 0, pid: 1, stdout: '', stderr: '' }) : '';
    }),
  };
  return { ctx: Object.create(base, { functions: { value: functions } }) as ModuleContext, started };
}

test('words - what may begin with a dash reaches programs as the value of an option only', async () => {
  let reached = 0;
  for (const { fun, spec } of await ruledFunctions()) {
    if (!/^(?:user|shadow)\./.test(fun)) continue;
    const { dashes } = spec.words ?? {};
    for (const name of Object.keys(spec.params ?? {})) {
      if (dashes === 'any' || !isExempt(dashes, name)) continue;
      const keywords = new Map<Value, Value>([
        ['name', fun === 'user.add' ? 'nobody-yet' : 'root'],
        [name, '-evil'],
      ]);
      const { ctx, started } = spawnless();
      await callSpec(fun, spec, ctx, { positional: [], keywords }).catch(() => undefined);
      for (const words of started)
        for (const [i, word] of words.entries()) {
          if (!word.startsWith('-evil')) continue;
          assert.match(words[i - 1] ?? '', /^-[a-zA-Z]$/, `${fun}: ${words.join(' ')}`);
          reached++;
        }
    }
  }
  assert.ok(reached > 5, 'programs were started');
});

test('words - files of lines gain no second line, whatever argument has a line end', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'brine-words-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const file = join(root, 'file');
  const calls: readonly (readonly [fun: string, arguments_: DictInit, before: string])[] = [
    ['hosts.set_host', { ip: '10.0.0.1', alias: 'a', comment: 'c' }, ''],
    ['hosts.add_host', { ip: '10.0.0.1', alias: 'a' }, ''],
    ['hosts.set_comment', { ip: '10.0.0.1', comment: 'c' }, '10.0.0.1 a\n'],
    ['ini.set_option', { file_name: file, sections: dict({ s: dict({ o: 'v' }) }) }, ''],
    ['mount.set_fstab', { name: '/x', device: '/dev/x', fstype: 'ext4', opts: 'rw', config: file }, ''],
    ['mount.set_automaster', { name: '/x', device: 'h:/x', fstype: 'nfs', opts: 'rw', config: file }, ''],
    ['mount.set_vfstab', { name: '/x', device: '/dev/x', fstype: 'ufs', opts: 'rw', config: file }, ''],
    ['mount.set_filesystems', { name: '/x', device: '/dev/x', vfstype: 'jfs', opts: 'rw', config: file }, ''],
    [
      'ssh.set_auth_key',
      { user: 'root', key: 'AAAA', enc: 'ssh-rsa', comment: 'c', options: ['no-pty'], config: file },
      '',
    ],
    ['sysctl.persist', { name: 'kernel.hostname', value: 'x', config: file }, ''],
  ];
  for (const [fun, given, before] of calls) {
    for (const name of Object.keys(given)) {
      writeFileSync(file, before);
      const ctx = fakeContext({ opts: dict({ id: 'minion', 'hosts.file': file }) });
      const value = dict(given).get(name);
      const evil: Value =
        value instanceof Map
          ? dict({ s: dict({ o: 'v\nevil = 1' }) })
          : Array.isArray(value)
            ? ['x\nevil']
            : `${String(value)}\nevil`;
      const keywords = new Map([...dict(given), [name, evil] as [Value, Value]]);
      await assert.rejects(ctx.functions.call(fun, [], keywords), /cannot have a line end/, `${fun} ${name}`);
      assert.equal(readFileSync(file, 'utf8'), before, `${fun} ${name}`);
      assert.ok(!existsSync(`${file}\nevil`));
    }
  }
});
