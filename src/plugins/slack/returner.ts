/** `slack`: each return as a message in a channel, by Slack's API (salt/returners/slack_returner.py, 3006.16). */
import { CommandExecutionError, ConfigError } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { JsonSyntaxError, parseJson } from '../../formats/json/text.ts';
import { pformat } from '../../python/values/pprint.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { sendHttp, urlOption } from '../../network/http/client.ts';
import { returnerOptions } from '../shared/returner/options.ts';
import { param } from '../../runtime/loader/params.ts';
import { flagOption } from '../shared/returner/store-options.ts';

const API_URL = 'https://slack.com/api/';
const TIMEOUT_MS = 10_000;
const DEFAULTS = new Map<string, Value | undefined>([
  ['profile', undefined],
  ['channel', '#general'],
  ['username', undefined],
  ['as_user', undefined],
  ['api_key', undefined],
  ['changes', undefined],
  ['only_show_failed', undefined],
  ['yaml_format', undefined],
  ['api_url', API_URL],
]);

async function post(ctx: ModuleContext, ret: Dict): Promise<null> {
  const options = new Map(await returnerOptions(ctx, 'slack', ret, DEFAULTS));
  const kwargs = ret.get('ret_kwargs');
  // the key is for Slack, or for whom the configuration names
  if (isDict(kwargs) && kwargs.has('api_url') && !kwargs.has('api_key'))
    throw new ConfigError('slack.api_url can only be set in the configuration, not with --return_kwargs.');
  const profile = flagOption(options, 'profile')
    ? await ctx.functions.call('config.option', [String(options.get('profile'))])
    : null;
  if (isDict(profile)) options.set('api_key', profile.get('slack.api_key') ?? null);
  for (const name of ['channel', 'username', 'as_user', 'api_key']) {
    if (truthy(options.get(name))) continue;
    ctx.log.error(`slack.${name} not defined in salt config`);
    return null;
  }
  if (flagOption(options, 'only_show_failed') && flagOption(options, 'changes')) {
    ctx.log.error('cannot define both slack.changes and slack.only_show_failed in salt config');
    return null;
  }
  const url = urlOption(
    'chat.postMessage',
    'slack.api_url',
    urlOption(options.get('api_url'), 'slack.api_url').href,
  );
  const { status, text } = await sendHttp({
    method: 'POST',
    url,
    headers: new Map([
      ['content-type', 'application/x-www-form-urlencoded'],
      ['authorization', `Bearer ${String(options.get('api_key')).replace(/[^\x21-\x7e]/g, '')}`],
    ]),
    body: new URLSearchParams({
      channel: pyStr(options.get('channel') ?? null),
      username: pyStr(options.get('username') ?? null),
      as_user: pyStr(options.get('as_user') ?? null),
      text: `\`\`\`${messageFor(ret, options)}\`\`\``,
    }).toString(),
    timeoutMs: TIMEOUT_MS,
    clock: ctx.clock,
  });
  const error = errorIn(status, text);
  if (error !== undefined) throw new CommandExecutionError(`Slack did not take the message: ${error}.`);
  return null;
}

function messageFor(ret: Dict, options: ReadonlyMap<string, Value>): string {
  const shown = selected(ret.get('return') ?? null, options);
  const text =
    options.get('yaml_format') === true ? dumpYaml(shown, { defaultFlowStyle: null }) : pformat(shown);
  const field = (name: string): string => pyStr(ret.get(name) ?? null);
  return (
    `id: ${field('id')}\r\nfunction: ${field('fun')}\r\nfunction args: ${field('fun_args')}\r\n` +
    `jid: ${field('jid')}\r\nreturn: ${text}\r\n`
  );
}

/** The states that `changes` or `only_show_failed` ask for. (Salt fails there: it puts mappings into a set.) */
function selected(value: Value, options: ReadonlyMap<string, Value>): Value {
  const changes = options.get('changes') === true;
  if (!isDict(value) || (!changes && options.get('only_show_failed') !== true)) return value;
  return new Map(
    [...value].filter(
      ([, state]) =>
        !isDict(state) || state.get('result') !== true || (changes && truthy(state.get('changes'))),
    ),
  );
}

/** What is wrong with Slack's answer, which comes with status 200 also when it is an error. */
function errorIn(status: number, text: string): string | undefined {
  if (status !== 200) return `it answered ${status}`;
  try {
    const answer = parseJson(text);
    const error = isDict(answer) ? answer.get('error') : 'its answer is no mapping';
    return error === undefined ? undefined : pyStr(error);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return 'its answer is no JSON';
    throw error;
  }
}

export const slackReturner = defineModule({
  name: 'slack',
  file: 'slack_returner',
  doc: 'Posts each return to the channel `slack.channel`; `slack.api_key`, `slack.username` and `slack.as_user` are needed, too.',
  settings: [...DEFAULTS.keys()],
  functions: {
    returner: defineFunction({
      doc: 'Posts one return.',
      params: { ret: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: ["salt '*' test.ping --return slack --return_kwargs '{channel: \"#random\"}'"],
      run: (ctx, { ret }) => post(ctx, ret),
    }),
  },
});
