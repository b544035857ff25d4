/**
 * `slack_webhook`: each return as a message, by an incoming webhook (salt/returners/slack_webhook_return.py, 3006.16).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { sendHttp, urlOption } from '../../network/http/client.ts';
import { returnerOptions } from '../shared/returner/options.ts';
import { isSuccess, slackPayload, sprinkle } from './returner/report.ts';
import { storeJson } from '../shared/returner/store-json.ts';
import { param } from '../../runtime/loader/params.ts';
import { flagOption } from '../shared/returner/store-options.ts';

const HOOKS_URL = 'https://hooks.slack.com/services/';
const TIMEOUT_MS = 10_000;
const SNIPPET_LENGTH = 200;
const DEFAULTS = new Map<string, Value | undefined>([
  ['webhook', undefined],
  ['success_title', '{id} | Succeeded'],
  ['failure_title', '{id} | Failed'],
  ['author_icon', ''],
  ['show_tasks', false],
]);

/** @param isEvent the return is of an event, so that another than this minion made it */
async function post(ctx: ModuleContext, ret: Dict, isEvent: boolean): Promise<null> {
  const options = await returnerOptions(ctx, 'slack_webhook', ret, DEFAULTS);
  if (!flagOption(options, 'webhook')) {
    ctx.log.error('slack_webhook.webhook not defined in salt config');
    return null;
  }
  const text = (name: string): string => pyStr(options.get(name) ?? '');
  const payload = slackPayload(ret, {
    title: text(isSuccess(ret) ? 'success_title' : 'failure_title'),
    authorIcon: text('author_icon'),
    authorName: isEvent ? pyStr(ret.get('id') ?? null) : sprinkle('{id}', ctx.grains),
    showTasks: flagOption(options, 'show_tasks'),
    grains: ctx.grains,
  });
  const url = urlOption(options.get('webhook'), 'slack_webhook.webhook', HOOKS_URL);
  const { status, text: answer } = await sendHttp({
    method: 'POST',
    url,
    headers: new Map([['content-type', 'application/x-www-form-urlencoded']]),
    body: new URLSearchParams({ payload: storeJson(payload, { strict: true }) }).toString(),
    timeoutMs: TIMEOUT_MS,
    clock: ctx.clock,
  });
  if (status === 200 && answer === 'ok') return null;
  throw new CommandExecutionError(
    `${url.host} did not take the message of slack_webhook: it answered ${status} (${answer.slice(0, SNIPPET_LENGTH)}).`,
  );
}

/** The events that are returns; those of find_job and of logins are nobody's news. */
function returnsIn(events: readonly Value[]): Dict[] {
  return events.flatMap((event) => {
    const data = isDict(event) ? event.get('data') : undefined;
    if (!isDict(event) || !isDict(data) || !data.has('fun') || !data.has('return')) return [];
    const isNews =
      data.get('fun') !== 'saltutil.find_job' && !pyStr(event.get('tag') ?? '').includes('salt/auth');
    return isNews ? [data] : [];
  });
}

export const slackWebhookReturner = defineModule({
  name: 'slack_webhook',
  file: 'slack_webhook_return',
  doc: 'Posts each return to the incoming webhook `slack_webhook.webhook`, the part after https://hooks.slack.com/services/.',
  settings: [...DEFAULTS.keys()],
  functions: {
    returner: defineFunction({
      doc: 'Posts one return.',
      params: { ret: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: ["salt '*' test.ping --return slack_webhook"],
      run: (ctx, { ret }) => post(ctx, ret, false),
    }),
    event_return: defineFunction({
      doc: 'Posts the events that are returns.',
      params: { events: { type: 'list', doc: 'Events, each a mapping of tag and data.' } },
      returns: 'None',
      run: async (ctx, { events }) => {
        for (const ret of returnsIn(Array.isArray(events) ? events : [])) await post(ctx, ret, true);
        return null;
      },
    }),
  },
});
