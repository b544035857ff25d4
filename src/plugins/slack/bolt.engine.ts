/** `slack_bolt`: messages of Slack become events and commands (salt/engines/slack_bolt_engine.py, 3006.16). */
import { messageOf } from '../../errors/errors.ts';
import { traverse } from '../../formats/data/traverse.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { Secret } from '../../host/secret.ts';
import { urlOption } from '../../network/http/client.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  defineEngine,
  EngineRefusal,
  type EngineContext,
  type MasterForEngines,
} from '../shared/engine/engine.ts';
import { SlackApi } from './engine/api.ts';
import { argumentsOf, commandIn, readGroups, type SlackCommand } from './engine/commands.ts';
import { SlackNames } from './engine/names.ts';
import { receiveMessages } from './engine/socket.ts';

const API_URL = 'https://slack.com/api/';
/** Commands under way; more are refused. */
const COMMANDS_MAX = 20;
/** Characters of a result in a message; Slack cuts longer ones. */
const RESULT_MAX = 3500;

/** The engine. */
export const slackBoltEngine = defineEngine({
  name: 'slack_bolt',
  doc: 'Reads messages from Slack (socket mode). With fire_all each becomes an event; with control those that begin with the trigger are commands, for the people and functions of groups.',
  params: {
    app_token: param.text({ doc: 'Token of the app, for socket mode: xapp-….' }),
    bot_token: param.text({ doc: 'Token of the bot, by which it reads names and answers: xoxb-….' }),
    control: param.flag({ default: false, doc: 'Messages may run functions; on a master.' }),
    trigger: param.text({ default: '!', doc: 'What a command begins with.' }),
    groups: param.mapping({
      default: null,
      doc: 'Name to users, commands, aliases, targets and default_target. Nobody may do anything without one.',
    }),
    groups_pillar_name: param.textIfGiven({
      default: null,
      doc: 'A key of the pillar with further groups; on a minion.',
    }),
    fire_all: param.flag({ default: false, doc: 'Fire every message as an event.' }),
    tag: param.text({ default: 'salt/engines/slack', doc: 'What the tags of the events begin with.' }),
    api_url: param.text({ default: API_URL, doc: 'Where the API of Slack is. Not in Salt.' }),
  },
  start: async (ctx, options) => {
    const { app_token, bot_token, control, groups, groups_pillar_name, trigger, fire_all, tag } = options;
    if (!bot_token.startsWith('xoxb'))
      throw new EngineRefusal('bot_token is no token of a bot: it begins with xoxb');
    if (control && ctx.master === undefined)
      throw new EngineRefusal('control: True needs a master; on a minion messages can only become events');
    if (trigger === '') throw new EngineRefusal('trigger is empty, and every message would be a command');
    const fromPillar = groups_pillar_name === undefined ? null : traverse(ctx.pillar, groups_pillar_name);
    const read = readGroups([fromPillar ?? null, groups]);
    for (const fault of read.faults) ctx.log.warning(fault);
    const url = urlOption(options.api_url.endsWith('/') ? options.api_url : `${options.api_url}/`, 'api_url');
    const api = new SlackApi({
      url,
      appToken: new Secret(app_token),
      botToken: new Secret(bot_token),
      clock: ctx.clock,
    });
    const bot = new SlackBot(ctx, api, { control, trigger, fireAll: fire_all, tag, groups: read.groups });
    await receiveMessages({ api, ...ctx, onMessage: (message) => void bot.take(message) });
  },
});

/** How the bot is set. */
interface BotSettings {
  readonly control: boolean;
  readonly trigger: string;
  readonly fireAll: boolean;
  readonly tag: string;
  readonly groups: ReturnType<typeof readGroups>['groups'];
}

/** Does what messages ask for. */
class SlackBot {
  readonly #ctx: EngineContext;
  readonly #api: SlackApi;
  readonly #settings: BotSettings;
  readonly #users: SlackNames;
  readonly #channels: SlackNames;
  #underWay = 0;

  constructor(ctx: EngineContext, api: SlackApi, settings: BotSettings) {
    this.#ctx = ctx;
    this.#api = api;
    this.#settings = settings;
    this.#users = new SlackNames(() => api.users(), ctx.clock);
    this.#channels = new SlackNames(() => api.channels(), ctx.clock);
  }

  /** Never fails: what goes wrong is said in the channel or the log. */
  async take(message: Dict): Promise<void> {
    if (message.get('type') !== 'message') return;
    const text = textOf(message.get('text')) ?? textOf(inside(message, 'message')?.get('text'));
    const channel = textOf(message.get('channel'));
    if (text === undefined || channel === undefined) return;
    const asked = this.#settings.control && text.startsWith(this.#settings.trigger);
    if (asked && this.#underWay >= COMMANDS_MAX)
      return this.#say(channel, 'Too many commands are under way.');
    if (asked) this.#underWay++;
    try {
      await this.#handle(message, { text, channel, asked });
    } catch (error) {
      this.#ctx.log.error(`slack_bolt: a message could not be handled: ${messageOf(error)}`);
      if (asked) await this.#say(channel, `That could not be done: ${messageOf(error)}`);
    } finally {
      if (asked) this.#underWay--;
    }
  }

  async #handle(
    message: Dict,
    { text, channel, asked }: { readonly text: string; readonly channel: string; readonly asked: boolean },
  ): Promise<void> {
    const { fireAll, tag, groups, trigger } = this.#settings;
    const userId = textOf(message.get('user')) ?? textOf(inside(message, 'message')?.get('user')) ?? '';
    const user = await this.#users.nameOf(userId);
    const command = asked ? commandIn(text.slice(trigger.length), user ?? '', groups) : undefined;
    if (fireAll) {
      const data =
        command === undefined
          ? { user_id: userId, user_name: user ?? null, channel_name: await this.#channelName(channel) }
          : { channel, user: userId, user_name: user ?? null, ...plain(command) };
      await this.#ctx.fire(`${tag}/message`, dict({ message_data: message, ...data }));
    }
    if (!asked) return;
    if (user === undefined)
      return this.#say(channel, `The user ${userId} can not be looked up via slack.  Not running ${text}`);
    if (command === undefined) {
      const name = text.slice(trigger.length).trim().split(/\s/)[0] ?? '';
      return this.#say(channel, `${user} is not allowed to use command ${name}.`);
    }
    await this.#run(channel, user, command);
  }

  async #run(channel: string, user: string, command: SlackCommand): Promise<void> {
    const master = this.#ctx.master as MasterForEngines;
    const { cmdline, target, tgtType } = command;
    const fun = cmdline[0] ?? '';
    const { args, kwargs } = argumentsOf(cmdline);
    const jid = master.nextJid();
    this.#ctx.log.info(`Slack user ${user} runs ${fun} as job ${jid}`);
    await this.#say(channel, `@${user}'s job is submitted as salt jid ${jid}`);
    const result = (await master.hasRunner(fun))
      ? new Map<Value, Value>([[this.#ctx.id, await master.runnerJob(fun, args, kwargs, jid)]])
      : new Map<Value, Value>(await master.job(target, fun, args, { tgtType, kwarg: kwargs, jid }));
    const { cmdline: words, target: whom } = plain(command);
    await this.#say(
      channel,
      `@${user}'s job \`${pyRepr(words)}\` (id: ${jid}) (target: ${pyRepr(whom)}) returned`,
    );
    await this.#say(channel, `\`\`\`${shortened(dumpYaml(result, { defaultFlowStyle: false }), jid)}\`\`\``);
  }

  async #say(channel: string, text: string): Promise<void> {
    try {
      await this.#api.post(channel, text);
    } catch (error) {
      this.#ctx.log.error(`slack_bolt: ${messageOf(error)}`);
    }
  }

  async #channelName(id: string): Promise<string | null> {
    return id.startsWith('D') ? 'private chat' : ((await this.#channels.nameOf(id)) ?? null);
  }
}

const textOf = (value: Value | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function inside(message: Dict, key: string): Dict | undefined {
  const value = message.get(key);
  return isDict(value) ? value : undefined;
}

/** A command as events and messages show it. */
function plain({ cmdline, target, tgtType }: SlackCommand): { cmdline: Value[]; target: Dict } {
  return { cmdline: [...cmdline], target: dict({ target, tgt_type: tgtType }) };
}

function shortened(text: string, jid: string): string {
  const safe = text.replaceAll('```', "'''");
  if (safe.length <= RESULT_MAX) return safe;
  return `${safe.slice(0, RESULT_MAX)}\n… all of it: salt-run jobs.lookup_jid ${jid}`;
}
