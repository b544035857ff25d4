/** Templates rendered by real Jinja2 under Salt 3006.16: our engine gives the same text, or fails in the same words. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommandExecutionError, SaltInvocationError } from '../../../../src/errors/errors.ts';
import {
  jinjaOptions,
  renderJinja,
  RenderError,
  saltLoader,
  TemplateCache,
  TFunction,
  TObject,
  type Later,
  type TValue,
} from '../../../../src/formats/jinja/index.ts';
import { tuple } from '../../../../src/formats/jinja/model.ts';
import { parseJson } from '../../../../src/formats/json/text.ts';
import { copyValue, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const fixture = parseJson(readFileSync(join(ROOT, 'test/fixtures/jinja/vectors.json'), 'utf8')) as Dict;
const cache = new TemplateCache();

/** Salt's functions, each answering at once or by a promise. */
class Functions extends TObject {
  readonly typeName = 'AliasedLoader';
  readonly #later: boolean;
  constructor(later: boolean) {
    super();
    this.#later = later;
  }
  override get typeTitle(): string {
    return 'salt.utils.templates.AliasedLoader';
  }
  #answer(value: () => TValue): Later {
    return this.#later ? Promise.resolve().then(value) : value();
  }
  readonly #table = new Map<string, TFunction>([
    ['test.echo', new TFunction('echo', ([value]) => this.#answer(() => value as TValue))],
    [
      'test.kw',
      new TFunction('kw', (_args, kwargs) =>
        this.#answer(() => Array.from(kwargs ?? [], ([key, value]) => tuple([key, value]))),
      ),
    ],
    [
      'test.fail',
      new TFunction('fail', ([text]) => this.#answer(() => raise(new CommandExecutionError(String(text))))),
    ],
    [
      'test.invalid',
      new TFunction('invalid', ([text]) => this.#answer(() => raise(new SaltInvocationError(String(text))))),
    ],
    ['test.crash', new TFunction('crash', () => this.#answer(() => raise(new Error('it broke'))))],
  ]);
  override getItem(key: TValue): TValue | undefined {
    return typeof key === 'string' ? this.#table.get(key) : undefined;
  }
  override getAttr(name: string): TValue | undefined {
    return name === 'test' ? new Module(this) : undefined;
  }
  override contains(key: TValue): boolean {
    return this.getItem(key) !== undefined;
  }
}

class Module extends TObject {
  readonly typeName = 'Mod';
  readonly #functions: Functions;
  constructor(functions: Functions) {
    super();
    this.#functions = functions;
  }
  override getAttr(name: string): TValue | undefined {
    return this.#functions.getItem(`test.${name}`);
  }
}

function raise(error: Error): never {
  throw error;
}

interface Outcome {
  readonly output?: string;
  readonly error?: string;
  readonly message?: string;
}

async function rendered(entry: Dict, later: boolean): Promise<Outcome> {
  const files = fixture.get('files') as Dict;
  const options = entry.get('jinja');
  const opts = new Map<string, Value>([['jinja_sls_env', options ?? null]]);
  const context = new Map<string, TValue>([
    ...(copyValue(fixture.get('context') as Dict) as Map<string, TValue>),
    ['salt', new Functions(later)],
    ['opts', new Map()],
    ['saltenv', 'base'],
    ['sls', 'case'],
    ['tpldir', '.'],
    ['tplfile', 'case.sls'],
  ]);
  try {
    const output = await renderJinja({
      source: entry.get('source') as string,
      context,
      options: jinjaOptions((name) => opts.get(name), true),
      load: saltLoader((path) => {
        const text = files.get(path);
        return typeof text === 'string' ? { text, path: `/files/${path}` } : undefined;
      }),
      compile: cache.compile,
      random: () => 0.5,
    });
    return { output };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { error: error.reason, message: error.message };
  }
}

/** Where we differ on purpose; docs/differences.md says why. */
const DIFFERENT = new Set([
  '{% autoescape true %}{{ html }}{% endautoescape %}',
  "{{ users|groupby('age') }}",
  "{{ html is escaped }} {{ 'a'|e is escaped }}",
  "{{ 'a: [1'|load_yaml }}",
  "{{ 'a: 1\\nb:\\n  - x\\n - y'|load_yaml }}",
  '{{ 5|load_yaml }}',
  '{% load_yaml as y %}\na: [\n{% endload %}',
  '{{ lst|yaml|load_yaml|sum }}',
  "{% import_yaml 'badyaml.yaml' as y %}",
]);

const groups = fixture.get('groups') as Dict;
for (const [group, entries] of groups) {
  for (const later of [false, true]) {
    test(`jinja - ${String(group)} are rendered as Jinja2 does${later ? ', with functions that take their time' : ''}`, async (t) => {
      for (const entry of entries as Value[]) {
        if (!isDict(entry)) continue;
        const source = entry.get('source') as string;
        if ((later && !source.includes('salt')) || DIFFERENT.has(source)) continue;
        await t.test(JSON.stringify(source), async () => {
          const outcome = await rendered(entry, later);
          const message = entry.get('message');
          const wanted: Outcome = entry.has('output')
            ? { output: entry.get('output') as string }
            : { error: entry.get('error') as string, ...(typeof message === 'string' ? { message } : {}) };
          // ours says why a template cannot be found by its name
          if (/^Jinja error: (?:\.\.|\/)[^ ]+$/.test(wanted.error ?? ''))
            assert.ok(outcome.error?.startsWith(`${wanted.error ?? ''}: `));
          else if (wanted.message === undefined && outcome.message !== undefined)
            assert.deepEqual({ error: outcome.error }, wanted);
          else assert.deepEqual(outcome, wanted);
        });
      }
    });
  }
}
