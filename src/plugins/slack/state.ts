/** `slack`: messages to Slack from states (3006.16 salt/states/slack.py). */
import { messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

/** Which way a message goes: by a key, by a hook; empty when neither is known. */
async function wayOf(
  ctx: StateContext,
  kwargs: Dict,
): Promise<{ readonly key: Value; readonly hook: Value }> {
  const [key, hook] = [kwargs.get('api_key') ?? null, kwargs.get('webhook') ?? null];
  if (truthy(key) || truthy(hook)) return { key, hook };
  const configured = async (name: string): Promise<Value> => {
    const flat = await ctx.functions.call('config.get', [`slack.${name}`]);
    return truthy(flat) ? flat : ctx.functions.call('config.get', [`slack:${name}`]);
  };
  const found = await configured('api_key');
  return truthy(found) ? { key: found, hook: null } : { key: null, hook: await configured('hook') };
}

function missing(key: Value, hook: Value, kwargs: Dict): string | undefined {
  const lacks = (name: string): boolean => !truthy(kwargs.get(name));
  if (!truthy(key) && !truthy(hook)) return 'Please specify api_key or webhook.';
  if (truthy(key) && truthy(hook)) return 'Please specify only either api_key or webhook.';
  if (truthy(key) && lacks('channel')) return 'Slack channel is missing.';
  if (truthy(key) && lacks('from_name')) return 'Slack from name is missing.';
  return lacks('message') ? 'Slack message is missing.' : undefined;
}

/** The keywords of a function among those of the state. */
const chosen = (kwargs: Dict, names: Readonly<Record<string, string>>): Dict =>
  dict(Object.fromEntries(Object.entries(names).map(([to, from]) => [to, kwargs.get(from) ?? null])));

function send(ctx: StateContext, byKey: boolean, kwargs: Dict): Value | Promise<Value> {
  const same = (...names: string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, name]));
  if (byKey) {
    const words = chosen(kwargs, same('channel', 'message', 'from_name', 'api_key', 'icon'));
    return ctx.functions.call('slack.post_message', [], words);
  }
  const names = same('message', 'attachment', 'short', 'channel', 'username', 'icon_emoji');
  const words = chosen(kwargs, { ...names, identifier: 'webhook' });
  return ctx.functions.call('slack.call_hook', [], words.set('color', kwargs.get('color') ?? 'good'));
}

/** The states of `slack`. */
export const slackStates = defineModule({
  name: 'slack',
  file: 'slack',
  doc: 'Messages to Slack from states.',
  functions: {
    post_message: defineState({
      doc:
        'Sends a message to Slack. With a key: `api_key`, `channel`, `from_name`, `message`, `icon`; with a hook: `webhook`, `message`, ' +
        '`attachment`, `color`, `short`, `channel`, `username`, `icon_emoji`.',
      params: { name: param.text({ doc: 'What the message is called in the result.' }) },
      kwargs: 'kwargs',
      run: async (ctx, { name }, kwargs) => {
        const { key, hook } = await wayOf(ctx, kwargs);
        const lack = missing(key, hook, kwargs);
        if (lack !== undefined) return failure(name, lack);
        if (ctx.state.test) {
          const message = pyStr(kwargs.get('message') ?? null);
          return outcome(name, null, `The following message is to be sent to Slack: ${message}`);
        }
        try {
          const result = await send(ctx, truthy(key), kwargs);
          if (result === true) return outcome(name, true, `Sent message: ${name}`);
          const said = isDict(result) ? pyStr(result.get('message') ?? null) : pyStr(result);
          return failure(name, `Failed to send message (${said}): ${name}`);
        } catch (error) {
          if (!(error instanceof SaltInvocationError)) throw error;
          return failure(name, `Failed to send message (${messageOf(error)}): ${name}`);
        }
      },
    }),
  },
});
