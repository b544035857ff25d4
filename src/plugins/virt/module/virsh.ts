/**
 * Asking libvirt by its program virsh. Follows 3006.16 salt/modules/virt.py, which has libvirt's Python library ask.
 */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { parseXml, type XmlElement } from '../../../formats/xml/read.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines, strip } from '../../../python/values/text.ts';
import { truthy, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, type Ended } from '../../shared/program.ts';
import { settingText } from '../../shared/settings.ts';

/** What libvirt refuses. */
export class LibvirtError extends CommandExecutionError {}

/** The keywords of every function: connection, username, password. */
const LOGIN = ['username', 'password'] as const;

/** One connection to libvirt, as the keywords of a function or the configuration say. */
export class Virsh {
  readonly #ctx: ModuleContext;
  /** The words that name the connection, for any of libvirt's programs. */
  readonly connection: readonly string[];

  private constructor(ctx: ModuleContext, uri: string) {
    this.#ctx = ctx;
    this.connection = uri === '' ? [] : ['--connect', uri];
  }

  /** @throws SaltInvocationError for a user name or a password, which virsh takes from a file only */
  static async open(ctx: ModuleContext, kwargs: Dict): Promise<Virsh> {
    const setting = (name: string): Promise<string | undefined> =>
      settingText(ctx, [`virt:connection:${name}`, null]);
    for (const name of LOGIN)
      if (truthy(kwargs.get(name) ?? null) || (await setting(`auth:${name}`)) !== undefined)
        throw new SaltInvocationError(
          `virsh takes no ${name} from virt; write user name and password into libvirt's own file, /etc/libvirt/auth.conf.`,
        );
    const given = kwargs.get('connection') ?? null;
    const text = truthy(given) ? pyStr(given) : ((await setting('uri')) ?? '');
    if (text.startsWith('-')) throw new SaltInvocationError(`${text} is no address of libvirt.`);
    return new Virsh(ctx, text);
  }

  /** Runs a command of virsh. @param stdin what it reads */
  async run(words: readonly string[], stdin?: string): Promise<Ended> {
    const keywords = { ignore_retcode: true, ...(stdin === undefined ? {} : { stdin }) };
    return runAll(this.#ctx, ['virsh', '--quiet', ...this.connection, ...words], keywords);
  }

  /** What a command says. @throws LibvirtError what libvirt says when it fails */
  async say(words: readonly string[], stdin?: string): Promise<string> {
    const { retcode, stdout, stderr } = await this.run(words, stdin);
    if (retcode === 0) return stdout;
    const said = splitLines(stderr).filter((line) => line !== '');
    throw new LibvirtError((said.at(-1) ?? 'virsh has failed and says nothing').replace(/^error: /, ''));
  }

  /** Has something done. @returns true @throws LibvirtError */
  async act(words: readonly string[], stdin?: string): Promise<true> {
    await this.say(words, stdin);
    return true;
  }

  /** Names, one a line. */
  async names(words: readonly string[]): Promise<string[]> {
    return splitLines(await this.say(words))
      .map(strip)
      .filter((line) => line !== '');
  }

  /** Lines `Name: value`, by the names in small letters. */
  async facts(words: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const lines = splitLines(await this.say(words));
    return new Map(
      lines.flatMap((line): [string, string][] => {
        const at = line.indexOf(':');
        return at < 0 ? [] : [[strip(line.slice(0, at)).toLowerCase(), strip(line.slice(at + 1))]];
      }),
    );
  }

  /** A description in XML. */
  async xml(words: readonly string[]): Promise<XmlElement> {
    return parseXml(await this.say(words));
  }

  /** Machines. @param which those that run, those that do not, or all: the running first */
  async machines(which: 'all' | 'active' | 'inactive' = 'all'): Promise<string[]> {
    const option = { all: ['--all'], active: [], inactive: ['--inactive'] }[which];
    return this.names(['list', ...option, '--name']);
  }

  /** @throws CommandExecutionError for a machine that is not there */
  async needMachine(name: string): Promise<void> {
    const all = await this.machines();
    if (all.length === 0) throw new CommandExecutionError('No virtual machines found.');
    if (!all.includes(name)) throw new CommandExecutionError(`The VM "${name}" is not present`);
  }

  /** Has something done to a machine. @throws CommandExecutionError */
  async actOn(name: string, verb: string, ...more: readonly string[]): Promise<true> {
    await this.needMachine(name);
    return this.act([verb, name, ...more]);
  }

  /** What runs in a machine's place: `running`, `paused`, `shutdown`, `crashed` or `unknown`. */
  async state(name: string): Promise<string> {
    return STATES.get(strip(await this.say(['domstate', name]))) ?? 'unknown';
  }
}

const STATES: ReadonlyMap<string, string> = new Map([
  ['no state', 'running'],
  ['running', 'running'],
  ['idle', 'running'],
  ['paused', 'paused'],
  ['in shutdown', 'shutdown'],
  ['shut off', 'shutdown'],
  ['crashed', 'crashed'],
]);

/** The number at the beginning of a text; 0 without one. */
export const leadingNumber = (text: string | undefined): number =>
  Number(/^-?\d+(\.\d+)?/.exec(text ?? '')?.[0] ?? 0);
