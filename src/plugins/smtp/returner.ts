/** `smtp`: each return as a mail (salt/returners/smtp_return.py, 3006.16). */
import { readFileSync } from 'node:fs';
import { CommandExecutionError, ConfigError, messageOf } from '../../errors/errors.ts';
import { tlsFault } from '../../network/tls/fault.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { returnerOptions } from '../shared/returner/options.ts';
import { flagOption, intOption, textOption, type StoreOptions } from '../shared/returner/store-options.ts';
import { within } from '../shared/returner/time-limit.ts';
import { param } from '../../runtime/loader/params.ts';

const PORT = 25;
/** For connecting, for the greeting and for each answer; and for all of it. */
const STEP_MS = 10_000;
const WHOLE_MS = 60_000;
const SUBJECT_LENGTH_MAX = 500;
const SUBJECT = 'Email from Salt';
const BODY =
  'id: {{id}}\r\nfunction: {{fun}}\r\nfunction args: {{fun_args}}\r\njid: {{jid}}\r\nreturn: {{return}}\r\n';
const DEFAULTS = new Map<string, Value | undefined>([
  ...['from', 'to', 'host', 'port', 'username', 'password', 'subject', 'gpgowner', 'fields', 'template'].map(
    (name) => [name, undefined] as const,
  ),
  ['tls', false],
  ['tls_verify', true],
  ['renderer', 'jinja'],
]);

async function mail(ctx: ModuleContext, ret: Dict): Promise<null> {
  const options = await returnerOptions(ctx, 'smtp', ret, DEFAULTS);
  refuseTemplates(ret);
  const [from, host] = [address(needed(options, 'from'), 'from'), needed(options, 'host')];
  const to = needed(options, 'to')
    .split(',')
    .map((one) => address(one.trim(), 'to'))
    .filter((one) => one !== '');
  if (flagOption(options, 'gpgowner'))
    throw new ConfigError(
      'smtp.gpgowner is not supported, and what was to be encrypted is not sent as it is: take the option out.',
    );
  const subject = await subjectFor(ctx, ret, options);
  const text = await bodyFor(ctx, ret, options);
  const transport = await openTransport(host, options);
  try {
    await within(
      ctx.clock,
      WHOLE_MS,
      `The mail server ${host}`,
      transport.sendMail({ from, to, subject, text }),
    );
  } catch (error) {
    const address = `The mail server ${host}:${portOf(options)}`;
    throw new CommandExecutionError(
      tlsFault(error, { address }) ?? `${address} did not take the mail: ${messageOf(error)}`,
      { cause: error },
    );
  } finally {
    transport.close();
  }
  return null;
}

interface Transport {
  sendMail(mail: { from: string; to: string[]; subject: string; text: string }): Promise<unknown>;
  close(): void;
}

const portOf = (options: StoreOptions): number => intOption(options, 'port', 'smtp.port') ?? PORT;

async function openTransport(host: string, options: StoreOptions): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const [user, pass] = [textOption(options, 'username'), textOption(options, 'password')];
  const isTls = flagOption(options, 'tls');
  return createTransport({
    host,
    port: portOf(options),
    secure: false,
    // as Salt: STARTTLS when it is asked for, and then not without
    requireTLS: isTls,
    ignoreTLS: !isTls,
    tls: { rejectUnauthorized: options.get('tls_verify') !== false },
    ...(user === undefined || pass === undefined ? {} : { auth: { user, pass } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * The subject and the fields that are to stand behind it. Salt compat: there, the fields are rendered with the subject,
 * so that what a return says is a template, and so is a subject in --return_kwargs. Here both are text.
 */
async function subjectFor(ctx: ModuleContext, ret: Dict, options: StoreOptions): Promise<string> {
  const subject = textOption(options, 'subject') ?? SUBJECT;
  const rendered = kwargsOf(ret).has('subject')
    ? subject
    : await render(ctx, ret, options, subject, 'smtp.subject');
  const fields = (textOption(options, 'fields') ?? '').split(',').map((field) => field.trim());
  const values = fields
    .filter((field) => field !== '' && ret.has(field))
    .map((field) => pyStr(ret.get(field) ?? null));
  // a line break would begin another header
  return [rendered, ...values]
    .join(' ')
    .replace(/[\x00-\x1f\x7f\u0085\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, SUBJECT_LENGTH_MAX);
}

async function bodyFor(ctx: ModuleContext, ret: Dict, options: StoreOptions): Promise<string> {
  const path = textOption(options, 'template');
  if (path === undefined) return render(ctx, ret, options, BODY, 'the mail');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`smtp.template: ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  return render(ctx, ret, options, text, path);
}

/**
 * Templates see options and pillar, and files can be mailed as templates, so only the configuration names them: who may
 * publish nothing but test.ping may still add --return_kwargs.
 */
function refuseTemplates(ret: Dict): void {
  for (const name of ['template', 'renderer'])
    if (kwargsOf(ret).has(name))
      throw new ConfigError(`smtp.${name} can only be set in the configuration, not with --return_kwargs.`);
}

function kwargsOf(ret: Dict): Dict {
  const kwargs = ret.get('ret_kwargs');
  return isDict(kwargs) ? kwargs : new Map();
}

/** Renders with the fields of the return as variables. As with Salt, templates of mails call no functions. */
async function render(
  ctx: ModuleContext,
  ret: Dict,
  options: StoreOptions,
  text: string,
  path: string,
): Promise<string> {
  const { RenderPipe, rendererRules } = await import('../../runtime/renderers/pipe.ts');
  const { clock, random, log } = ctx;
  const pipe = new RenderPipe({ clock, random, log });
  const variables = new Map<string, Value>([
    ['grains', ctx.grains],
    ['pillar', ctx.pillar],
    ['opts', ctx.opts],
  ]);
  for (const [name, value] of ret) if (typeof name === 'string') variables.set(name, value);
  const opt = (name: string): Value | undefined => ctx.opts.get(name);
  const out = await pipe.render(text, textOption(options, 'renderer') ?? 'jinja', rendererRules(opt), {
    opt,
    saltenv: 'base',
    sls: '',
    path,
    variables,
    functions: {
      has: () => false,
      call: (name) => {
        throw new ConfigError(`${name} cannot be called in templates of mails.`);
      },
    },
    readTemplate: () => undefined,
  });
  if (typeof out === 'string') return out;
  if (isDict(out) && out.size === 0) return ''; // nothing but spaces
  throw new ConfigError(`smtp.renderer must end with text, and ${path} became data.`);
}

function needed(options: StoreOptions, name: string): string {
  const text = textOption(options, name);
  if (text === undefined) throw new ConfigError(`smtp.${name} is not set: mails need it.`);
  return text;
}

function address(text: string, name: string): string {
  if (/[\x00-\x1f\x7f]/.test(text))
    throw new ConfigError(`smtp.${name} has a line break or another control character.`);
  return text;
}

export const smtpReturner = defineModule({
  name: 'smtp',
  file: 'smtp_return',
  doc: 'Sends each return as a mail: `smtp.from`, `smtp.to` and `smtp.host` are needed.',
  settings: [...DEFAULTS.keys()],
  functions: {
    returner: defineFunction({
      doc: 'Sends one return.',
      params: { ret: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: ["salt '*' test.ping --return smtp --return_kwargs '{to: you@example.com}'"],
      run: (ctx, { ret }) => mail(ctx, ret),
    }),
    event_return: defineFunction({
      doc: 'Sends a mail for each event; the fields of its data are what templates see.',
      params: { events: { type: 'list', doc: 'Events, each a mapping of tag and data.' } },
      returns: 'None',
      run: async (ctx, { events }) => {
        for (const event of Array.isArray(events) ? events : []) {
          const data = isDict(event) ? event.get('data') : undefined;
          if (isDict(data) && data.size > 0) await mail(ctx, data);
        }
        return null;
      },
    }),
  },
});
