/** What `slack_webhook` says of a return (salt/returners/slack_webhook_return.py, 3006.16). */
import { formatFixed } from '../../../python/values/number-format.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { dumpYaml } from '../../../formats/yaml/dump.ts';

/** How states ended. */
interface StateSums {
  readonly total: number;
  readonly unchanged: number;
  readonly changed: readonly string[];
  readonly failed: readonly string[];
  readonly durationSeconds: number;
}

/** How a message is made. */
export interface ReportOptions {
  readonly title: string;
  readonly authorIcon: string;
  /** Whose name stands above the message. */
  readonly authorName: string;
  readonly showTasks: boolean;
  readonly grains: Dict;
}

/** Whether a return is one of success. */
export function isSuccess(ret: Dict): boolean {
  return ret.get('retcode') === 0;
}

/** The payload for Slack. */
export function slackPayload(ret: Dict, options: ReportOptions): Dict {
  const value = ret.get('return') ?? null;
  const sums = isStateReturn(value) ? sumStates(value) : undefined;
  const title = sprinkle(options.title, options.grains);
  const head = dict({
    fallback: title,
    color: '#272727',
    author_name: options.authorName,
    author_link: sprinkle('{localhost}', options.grains),
    author_icon: options.authorIcon,
    title: `Success: ${isSuccess(ret) ? 'True' : 'False'}`,
    text: headText(ret, sums),
  });
  const rest = sums === undefined ? [plainPart(ret, value)] : statePart(sums, options.showTasks);
  return dict({ attachments: [head, ...rest] });
}

/** Puts grains in: `{id}`; what is no grain is left out. */
export function sprinkle(text: string, grains: Dict): string {
  const parts = text.split(/[{}]/);
  return parts.map((part, index) => (index % 2 === 0 ? part : pyStr(grains.get(part) ?? ''))).join('');
}

function headText(ret: Dict, sums: StateSums | undefined): string {
  const args = ret.get('fun_args');
  const list = Array.isArray(args) && args.length > 0 ? pyRepr(args.map(pyStr)) : undefined;
  return [
    `Function: ${pyStr(ret.get('fun') ?? null)}\n`,
    list === undefined ? '' : `Function Args: ${list}\n`,
    `JID: ${pyStr(ret.get('jid') ?? null)}\n`,
    sums === undefined ? '' : `Total: ${sums.total}\nDuration: ${formatFixed(sums.durationSeconds, 2)} secs`,
  ].join('');
}

function plainPart(ret: Dict, value: Value): Dict {
  const text = isDict(value) ? `\n${dumpYaml(value, { defaultFlowStyle: null, indent: 2 })}` : pyStr(value);
  return dict({ color: isSuccess(ret) ? 'good' : 'danger', title: `Return: ${text}` });
}

function statePart({ unchanged, changed, failed }: StateSums, showTasks: boolean): Dict[] {
  const part = (color: string, title: string, tasks: readonly string[]): Dict =>
    dict({
      color,
      title: `${title}: ${tasks.length}`,
      fields: showTasks && tasks.length > 0 ? tasks.map((value) => dict({ value, short: false })) : undefined,
    });
  return [
    dict({ color: 'good', title: `Unchanged: ${unchanged}` }),
    part('warning', 'Changed', changed),
    part('danger', 'Failed', failed),
  ];
}

function isStateReturn(value: Value): value is Dict {
  if (!isDict(value)) return false;
  const [first] = value.values();
  return isDict(first) && first.has('__id__');
}

function sumStates(states: Dict): StateSums {
  const entries = [...states].map(([key, data]) => [pyStr(key), isDict(data) ? data : new Map()] as const);
  const order = (data: Dict): number => toNumber(data.get('__run_num__')) ?? 0;
  entries.sort(([, a], [, b]) => order(a) - order(b));
  const [changed, failed]: [string[], string[]] = [[], []];
  let durationMs = 0;
  for (const [key, data] of entries) {
    const task = `${pyStr(data.get('__sls__') ?? null)}.sls | ${key.split('_|-')[1] ?? key}`;
    if (data.has('result') && !truthy(data.get('result'))) failed.push(task);
    if (truthy(data.get('changes'))) changed.push(task);
    const duration = data.get('duration');
    durationMs += toNumber(duration) ?? (Number.parseFloat(String(duration)) || 0);
  }
  const unchanged = entries.length - failed.length - changed.length;
  return { total: entries.length, unchanged, changed, failed, durationSeconds: durationMs / 1000 };
}
