/**
 * The board for Grafana and the alerts for Prometheus: they ask for figures and labels that there are, and each in the
 * way of its kind.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadYaml } from '../../../src/formats/yaml/load.ts';
import { isDict, type Value } from '../../../src/python/values/value.ts';
import { FAMILY_TABLE } from '../../../src/runtime/metrics/families.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const read = (name: string): string => readFileSync(join(ROOT, 'docs/monitoring', name), 'utf8');
/** Labels that Prometheus adds. */
const EVERYWHERE = ['instance', 'job', 'le'];
const FUNCTIONS = [
  'sum',
  'max',
  'topk',
  'rate',
  'increase',
  'histogram_quantile',
  'by',
  'on',
  'and',
  'up',
  'offset',
];

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** What is wrong with an expression. */
function faultsOf(expr: string): string[] {
  const faults: string[] = [];
  const labels = new Set<string>();
  const known = new Set(EVERYWHERE);
  for (const [whole, name = '', matchers = '', range = ''] of expr.matchAll(
    /\b(brine_\w+)(?:\{([^}]*)\})?(\[\w+\])?/g,
  )) {
    const [, base = name, part = ''] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
    const family = FAMILY_TABLE.get(part === '' ? name : base) ?? FAMILY_TABLE.get(name);
    if (family === undefined) {
      faults.push(`there is no figure ${name}`);
      continue;
    }
    const grows = family.kind !== 'gauge';
    if (family.kind === 'histogram' && part === '') faults.push(`${name} is a distribution`);
    if (grows !== (range !== '')) faults.push(`${name} is a ${family.kind}, asked for as ${whole}`);
    const before = expr.slice(0, expr.indexOf(whole));
    if (grows && !/(rate|increase)\($/.test(before)) faults.push(`${name} grows: it needs rate or increase`);
    for (const label of family.labels) known.add(label);
    for (const matcher of matchers.split(/,\s*/).filter((each) => each !== '')) {
      const label = /^(\w+)(=~|!~|!=|=)"[^"]*"$/.exec(matcher)?.[1];
      if (label === undefined) faults.push(`${matcher} is no matcher`);
      else if (![...family.labels, ...EVERYWHERE].includes(label))
        faults.push(`${name} has no label ${label}`);
    }
  }
  for (const [, list = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
    for (const label of list.split(/,\s*/)) labels.add(label);
  for (const label of labels) if (!known.has(label)) faults.push(`no figure of it has the label ${label}`);
  const rest = expr.replace(/\{[^}]*\}|\[\w+\]|\b(?:by|on) \([^)]*\)|brine_\w+/g, ' ');
  for (const [word] of rest.matchAll(/\b[a-z_]+\b/g))
    if (!FUNCTIONS.includes(word)) faults.push(`${word} is no function that is used here`);
  const depth = [...rest].reduce((open, each) => open + (each === '(' ? 1 : each === ')' ? -1 : 0), 0);
  if (depth !== 0) faults.push('parentheses do not fit');
  return faults.map((fault) => `${expr}: ${fault}`);
}

test('monitoring - what is wrong with an expression is found', () => {
  for (const wrong of [
    'brine_nothing',
    'brine_keys{colour="red"}',
    'rate(brine_keys[5m])',
    'brine_publications_total',
    'sum by (colour) (brine_keys)',
    'histogram_quantile(0.9, rate(brine_state_seconds[5m]))',
    'sum(brine_keys',
    'summ(brine_keys)',
  ])
    assert.notDeepEqual(faultsOf(wrong), [], wrong);
});

test('monitoring - the board asks for figures that there are, and its panels do not lie on each other', () => {
  const board = JSON.parse(read('grafana-board.json')) as { panels: readonly Panel[]; schemaVersion: number };
  const targets = board.panels.flatMap(({ targets: all = [] }) => all);
  assert.ok(targets.length > 25);
  assert.deepEqual(
    targets.flatMap(({ expr }) => faultsOf(expr)),
    [],
  );
  assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of board.panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), `${title} lies on another one`);
        taken.add(`${x} ${y}`);
      }
  for (const { title, targets: all = [] } of board.panels)
    for (const { expr, legendFormat } of all)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(
          new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr) || !expr.includes('by ('),
          `${title}: the legend has ${label}`,
        );
});

test('monitoring - the alerts are rules that Prometheus takes, each with what to do', () => {
  const field = (value: Value | undefined, name: string): Value =>
    isDict(value) ? (value.get(name) ?? null) : null;
  const groups = field(loadYaml(read('alerts.yml')), 'groups') as Value[];
  const rules = groups.flatMap((group) => field(group, 'rules') as Value[]);
  assert.ok(rules.length > 15);
  const names = rules.map((rule) => String(field(rule, 'alert')));
  assert.equal(new Set(names).size, names.length);
  for (const rule of rules) {
    const [name, expr] = [String(field(rule, 'alert')), String(field(rule, 'expr'))];
    assert.ok(isDict(rule));
    assert.deepEqual([...rule.keys()], ['alert', 'expr', 'for', 'labels', 'annotations'], name);
    assert.match(name, /^Brine[A-Z]\w+$/);
    assert.deepEqual(faultsOf(expr), [], name);
    assert.match(String(rule.get('for')), /^\d+[smh]$/);
    assert.match(String(field(rule.get('labels'), 'severity')), /^(warning|critical)$/);
    for (const part of ['summary', 'description']) {
      const text = String(field(rule.get('annotations'), part));
      assert.match(text, /\.$/, name);
      for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g))
        assert.ok(
          label === 'instance' ||
            expr.includes(label) ||
            [...FAMILY_TABLE].some(([each, { labels }]) => expr.includes(each) && labels.includes(label)),
          `${name}: ${label}`,
        );
    }
  }
});
