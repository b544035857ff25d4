/** `slack`: messages to Slack. Follows 3006.16 salt/modules/slack_notify.py, salt/utils/slack.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { toJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { httpAnswer } from '../shared/http-answers.ts';
import { settingText } from '../shared/settings.ts';

const API = 'https://slack.com/api/';
const HOOKS = 'https://hooks.slack.com/services/';
const FORM = 'application/x-www-form-urlencoded';
const OK = 200;
const NO_CONTENT = 204;
/** What a hook that has taken a message answers at most. */
const CREATED = 201;

/** What is asked, and the field of the answer that has it. */
const ASKED = {
  rooms: { request: 'conversations.list', response: 'channels' },
  users: { request: 'users.list', response: 'members' },
  message: { request: 'chat.postMessage', response: 'channel' },
} as const;

/** A value of the configuration under one of two names. @throws SaltInvocationError */
async function setting(ctx: ModuleContext, name: string, missing: string): Promise<string> {
  for (const key of [`slack.${name}`, `slack:${name}`]) {
    const value = await settingText(ctx, [key]);
    if (value !== undefined) return value;
  }
  throw new SaltInvocationError(missing);
}

const keyOf = (ctx: ModuleContext, given: string | undefined): Promise<string> =>
  given === undefined || given === ''
    ? setting(ctx, 'api_key', 'No Slack API key found.')
    : Promise.resolve(given);

/** Asks Slack: `{message, res}`, or true for an answer without content. */
async function query(
  ctx: ModuleContext,
  what: keyof typeof ASKED,
  apiKey: string,
  data?: string,
): Promise<Value> {
  const { request, response } = ASKED[what];
  const headers = dict({
    ...(data === undefined ? { Accept: 'application/json' } : { 'Content-Type': FORM }),
    Authorization: `Bearer ${apiKey}`,
  });
  const options = dict({
    method: data === undefined ? 'GET' : 'POST',
    header_dict: headers,
    decode: true,
    status: true,
    ...(data === undefined ? {} : { data }),
  });
  const result = await httpAnswer(ctx, [`${API}${request}`], options);
  const field = (name: string): Value => result.get(name) ?? null;
  const status = toNumber(field('status'));
  if (status === NO_CONTENT) return true;
  const said = field('dict');
  if (!isDict(said)) return dict({ message: 'invalid_auth', res: false });
  if (said.has('error')) return dict({ message: said.get('error') ?? null, res: false });
  if (status !== OK) return dict({ message: 'Unknown response', res: false });
  return dict({ message: said.get(response) ?? null, res: true });
}

/** The first of a list whose `name` is this one; false when there is none. */
function named(answer: Value, name: string): Value {
  const list = isDict(answer) && truthy(answer.get('res')) ? (answer.get('message') ?? null) : null;
  const found = Array.isArray(list) ? list.find((one) => isDict(one) && one.get('name') === name) : undefined;
  return found ?? false;
}

const form = (fields: Dict): string =>
  new URLSearchParams(
    [...fields].map(([key, value]): [string, string] => [pyStr(key), pyStr(value)]),
  ).toString();

const apiKeyParam = {
  api_key: param.textIfGiven({
    default: null,
    doc: 'The key; without it `slack.api_key` of the configuration.',
  }),
} as const;
const optional = (doc: string) => param.textIfGiven({ default: null, doc });

/** The module. */
export const slackModule = defineModule({
  name: 'slack',
  file: 'slack_notify',
  doc: 'Messages to Slack.',
  failsWith: { error: ['call_hook', 'post_message'] },
  functions: {
    list_rooms: defineFunction({
      doc: 'Lists the channels.',
      params: apiKeyParam,
      returns: '`{message: [channels], res}`',
      examples: ["salt '*' slack.list_rooms", "salt '*' slack.list_rooms api_key=peWcBiMOS9HrZG15"],
      run: async (ctx, args) => query(ctx, 'rooms', await keyOf(ctx, args.api_key)),
    }),
    list_users: defineFunction({
      doc: 'Lists the users.',
      params: apiKeyParam,
      returns: '`{message: [users], res}`',
      examples: ["salt '*' slack.list_users"],
      run: async (ctx, args) => query(ctx, 'users', await keyOf(ctx, args.api_key)),
    }),
    find_room: defineFunction({
      doc: 'Returns a channel by its name.',
      params: { name: param.text({ doc: 'The name, with or without a hash.' }), ...apiKeyParam },
      returns: 'a mapping; false when there is none',
      examples: ["salt '*' slack.find_room name=random"],
      run: async (ctx, args) =>
        named(await query(ctx, 'rooms', await keyOf(ctx, args.api_key)), args.name.replace(/^#/, '')),
    }),
    find_user: defineFunction({
      doc: 'Returns a user by his name.',
      params: { name: param.text({ doc: 'The name.' }), ...apiKeyParam },
      returns: 'a mapping; false when there is none',
      examples: ["salt '*' slack.find_user name=ThomasHatch"],
      run: async (ctx, args) => named(await query(ctx, 'users', await keyOf(ctx, args.api_key)), args.name),
    }),
    post_message: defineFunction({
      doc: 'Sends a message to a channel.',
      params: {
        channel: param.text({ doc: 'The channel, `#name` or `@name`.' }),
        message: param.text({ doc: 'The message.' }),
        from_name: param.text({ doc: 'Whom it is from.' }),
        ...apiKeyParam,
        icon: optional('The address of a picture.'),
        attachments: param.valueIfGiven({
          default: null,
          type: 'list',
          doc: 'What goes with it, also as JSON.',
        }),
        blocks: param.valueIfGiven({ default: null, type: 'list', doc: 'Blocks of it, also as JSON.' }),
      },
      returns: 'true, or `{message, res: false}` with what Slack says',
      examples: [
        'salt \'*\' slack.post_message channel="Development Room" message="Build is done" from_name="Build Server"',
      ],
      run: async (ctx, { channel: given, message, from_name, api_key, icon, attachments, blocks }) => {
        const key = await keyOf(ctx, api_key);
        const channel = /^[#@]/.test(given) ? given : `#${given}`;
        if (channel !== given)
          ctx.log.warning(
            `Channel name must start with a hash or @. Prepending a hash and using "#${given}" as channel name instead of ${given}`,
          );
        const fields = dict({
          channel,
          username: from_name,
          text: message,
          attachments: attachments ?? [],
          blocks: blocks ?? [],
          ...(icon === undefined ? {} : { icon_url: icon }),
        });
        const result = await query(ctx, 'message', key, form(fields));
        return isDict(result) && truthy(result.get('res')) ? true : result;
      },
    }),
    call_hook: defineFunction({
      doc: 'Sends a message through a hook.',
      params: {
        message: param.text({ doc: 'The message.' }),
        attachment: optional('A text that goes with it.'),
        color: param.value({ default: 'good', type: 'str', doc: 'The colour of that.' }),
        short: param.value({
          default: false,
          type: 'bool',
          doc: 'That is short enough to stand beside others.',
        }),
        identifier: optional(
          'The hook, what stands behind `/services/`; without it `slack.hook` of the configuration.',
        ),
        channel: optional('Another channel than that of the hook.'),
        username: optional('Another name.'),
        icon_emoji: optional('Another icon.'),
      },
      returns: 'true, or `{message, res: false}` with what Slack says',
      examples: ["salt '*' slack.call_hook message='Hello, from SaltStack'"],
      run: async (ctx, { message, attachment, color, short, identifier, channel, username, icon_emoji }) => {
        const hook = identifier ?? (await setting(ctx, 'hook', 'No Slack WebHook url found'));
        const payload: Dict =
          attachment !== undefined
            ? dict({
                attachments: [
                  { fallback: message, color, pretext: message, fields: [{ value: attachment, short }] },
                ].map((one) => dict({ ...one, fields: one.fields.map((each) => dict(each)) })),
              })
            : dict({ text: message });
        for (const [name, value] of Object.entries({ channel, username, icon_emoji }))
          if (value !== undefined) payload.set(name, value);
        const options = dict({
          method: 'POST',
          data: form(dict({ payload: toJson(payload) })),
          status: true,
        });
        const result = await httpAnswer(ctx, [new URL(hook, HOOKS).href], options);
        const field = (name: string): Value => result.get(name) ?? null;
        const status = toNumber(field('status'));
        if (status !== undefined && status <= CREATED) return true;
        return dict({ res: false, message: field('body') ?? field('error') ?? field('status') });
      },
    }),
  },
});
