/** `smtp`: mails. Follows 3006.16 salt/modules/smtp.py. */
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { readBytes } from '../../host/file-operations.ts';
import { baseName } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { optionDict } from '../shared/settings.ts';

const PLAIN_PORT = 25;
const TLS_PORT = 465;
/** For connecting, for the greeting and for each answer. */
const STEP_MS = 10_000;

/** Where mails go, and who sends them. */
interface Place {
  readonly server: string;
  readonly isTls: boolean;
  readonly sender: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** A mail as it is given to the server. */
interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly string[];
}

const textIn = (options: Dict, name: string): string | undefined => {
  const value = options.get(`smtp.${name}`) ?? null;
  return truthy(value) ? pyStr(value) : undefined;
};

/**
 * Salt compat: Salt takes a boolean for no; what says yes is yes here, since a mail in the clear is not what was asked
 * for.
 */
const saysYes = (value: Value): boolean => value === true || pyStr(value).toLowerCase() === 'true';

async function profileOf(ctx: ModuleContext, profile: string): Promise<Dict> {
  const found = await optionDict(ctx, [profile]);
  if (found !== undefined) return found;
  throw new SaltInvocationError(
    `There is no profile ${profile} for mails in the configuration or the pillar.`,
  );
}

function split(server: string, preset: number): { readonly host: string; readonly port: number } {
  const [, host = server, port] = /^([^:]+):(\d+)$/.exec(server) ?? [];
  return { host, port: port === undefined ? preset : Number(port) };
}

/**
 * Errors for which Salt's function answers false: a name that nobody knows, a log-in or a recipient that is refused.
 */
const ANSWERED_FALSE = new Set(['EDNS', 'ENOTFOUND', 'EAI_AGAIN', 'EAUTH', 'EENVELOPE', 'EMESSAGE']);

async function send(ctx: ModuleContext, place: Place, mail: Mail): Promise<boolean> {
  const { createTransport } = await import('nodemailer');
  const { username: user, password: pass } = place;
  const { host, port } = split(place.server, place.isTls ? TLS_PORT : PLAIN_PORT);
  const transport = createTransport({
    host,
    port,
    secure: place.isTls,
    ...(user === undefined || pass === undefined ? {} : { auth: { user, pass } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const attachments = mail.attachments.map((path) => ({
    filename: baseName(path),
    content: readBytes(path),
    contentType: 'application/octet-stream',
  }));
  try {
    const { to, subject, text } = mail;
    await transport.sendMail({ from: place.sender, to: [...to], subject, text, attachments });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    ctx.log.debug(`The mail server ${host} did not take the mail: ${messageOf(error)}`);
    if (ANSWERED_FALSE.has(code)) return false;
    throw new CommandExecutionError(`The mail server ${host} did not take the mail: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    transport.close();
  }
}

/** A text is one file. */
const namesOf = (value: Value): string[] => {
  if (!truthy(value)) return [];
  return (Array.isArray(value) ? value : [value]).map(pyStr);
};
const text = (value: string | undefined, what: string): string => {
  if (value === undefined)
    throw new SaltInvocationError(`A mail needs ${what}: name it, or a profile that has it.`);
  return value;
};

/** The module. */
export const smtpModule = defineModule({
  name: 'smtp',
  file: 'smtp',
  doc: 'Sends mails.',
  // a line end in what becomes a header would begin another one
  words: { lines: ['message', 'password'], dashes: 'any' },
  failsWith: { false: ['send_msg'] },
  functions: {
    send_msg: defineFunction({
      doc: 'Sends a mail; over STARTTLS without use_ssl, where the server offers it.',
      params: {
        recipient: param.text({ doc: 'Who gets it, with commas between them.' }),
        message: param.text({ doc: 'Its text.' }),
        subject: param.text({ default: 'Message from Salt', doc: 'Its subject.' }),
        sender: param.textIfGiven({ default: null, doc: 'Who sends it.' }),
        server: param.textIfGiven({ default: null, doc: 'The mail server, with a port behind a colon.' }),
        use_ssl: param.value({ default: 'True', type: 'str', doc: 'True: over TLS from the beginning.' }),
        username: param.textIfGiven({ default: null, doc: 'Who logs in.' }),
        password: param.textIfGiven({ default: null, doc: 'The password.' }),
        profile: param.textIfGiven({
          default: null,
          doc: 'A mapping in the configuration or the pillar that has the rest: smtp.server, smtp.tls, smtp.sender, smtp.username, smtp.password.',
        }),
        attachments: param.by(namesOf, { default: null, type: 'list of str', doc: 'Files to go with it.' }),
      },
      returns:
        'true; false where the server is not found, or refuses the log-in, the sender or the recipients',
      examples: [
        "salt '*' smtp.send_msg admin@example.com 'This is a salt module test' profile=my-smtp-account",
      ],
      run: async (ctx, { recipient, message, subject, attachments, profile, ...given }) => {
        const options = profile === undefined ? dict() : await profileOf(ctx, profile);
        const own = profile === undefined;
        const place: Place = {
          server: text(own ? given.server : textIn(options, 'server'), 'a server'),
          sender: text(own ? given.sender : textIn(options, 'sender'), 'a sender'),
          isTls: saysYes(own ? given.use_ssl : (options.get('smtp.tls') ?? null)),
          username: own ? given.username : textIn(options, 'username'),
          password: own ? given.password : textIn(options, 'password'),
        };
        const to = recipient.split(',').map((one) => one.trim());
        return send(ctx, place, { to, subject, text: message, attachments });
      },
    }),
  },
});
