/** Running zypper. Follows 3006.16 salt/modules/zypperpkg.py `_Zypper`. */
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { parseXml, type XmlElement } from '../../../../formats/xml/read.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { runAll, type Ended } from '../../../shared/program.ts';
import { hasScope } from '../../../shared/systemd-host.ts';
import { settingFlag } from '../../../shared/settings.ts';

/** Endings that are no errors: patches are there, a restart is due … */
const SUCCESS: ReadonlySet<number> = new Set([0, 100, 101, 102, 103]);
/** No repositories, locked, a repository that could not be refreshed, a script of a package that failed. */
const WARNING: ReadonlySet<number> = new Set([6, 7, 106, 107]);
/** Somebody else is at work with zypper. */
const LOCKED = 7;
const LOCK_WAIT_MS = 5_000;
/** Salt compat: Salt waits for ever. */
const LOCK_TRIES = 720;

/** How a call differs from others. */
export interface ZypperCall {
  /** Only looks, and needs no lock. */
  readonly looks?: boolean;
  /** Repositories may be refreshed. */
  readonly refreshes?: boolean;
  /** The folder of another system. */
  readonly root?: Value;
  /** Outside of the minion's service. */
  readonly scope?: boolean;
  /** Whether an error ends in an exception. */
  readonly raises?: boolean;
}

/** A call that has ended. */
export interface ZypperEnded extends Ended {
  /** Empty when there was none. */
  readonly error: string;
  /** True for endings without any reservation. */
  readonly isSuccess: boolean;
}

/** Calls zypper. @throws CommandExecutionError `Zypper command failure: …` */
export async function callZypper(
  ctx: ModuleContext,
  words: readonly string[],
  how: ZypperCall = {},
): Promise<ZypperEnded> {
  return (await call(ctx, words, how, false)).ended;
}

/** Calls zypper for an answer in XML. @throws CommandExecutionError, XmlError */
export async function zypperXml(
  ctx: ModuleContext,
  words: readonly string[],
  how: ZypperCall = {},
): Promise<XmlElement> {
  const { xml, ended } = await call(ctx, words, how, true);
  return xml ?? parseXml(ended.stdout);
}

async function call(
  ctx: ModuleContext,
  words: readonly string[],
  how: ZypperCall,
  isXml: boolean,
): Promise<{ readonly ended: ZypperEnded; readonly xml: XmlElement | undefined }> {
  const { looks = false, refreshes = false, root = null, scope = false, raises = true } = how;
  const argv = [
    ...(scope && (await wantsScope(ctx)) ? ['systemd-run', '--scope'] : []),
    ...['zypper', '--non-interactive'],
    ...(isXml ? ['--xmlout'] : []),
    ...(refreshes || words.includes('--no-refresh') ? [] : ['--no-refresh']),
    ...(truthy(root) ? ['--root', pyStr(root)] : []),
    ...words,
  ];
  const env = looks && !refreshes ? { ZYPP_READONLY_HACK: '1' } : {};
  const ran = await whileLocked(ctx, () => runAll(ctx, argv, { output_loglevel: 'trace', env }));
  const isError = !SUCCESS.has(ran.retcode) && !WARNING.has(ran.retcode);
  const xml = isXml ? xmlOf(ran.stdout) : undefined;
  const error = isError ? errorIn(ran, isXml, xml) : '';
  if (error !== '' && raises) throw new CommandExecutionError(`Zypper command failure: ${error}`);
  return { ended: { ...ran, error, isSuccess: SUCCESS.has(ran.retcode) }, xml };
}

async function wantsScope(ctx: ModuleContext): Promise<boolean> {
  return (await hasScope(ctx)) && (await settingFlag(ctx, ['systemd.scope', true]));
}

/** Tries again while somebody else has the lock, and tells the master so. */
async function whileLocked(ctx: ModuleContext, run: () => Promise<Ended>): Promise<Ended> {
  let ran = await run();
  let waits = 0;
  for (; ran.retcode === LOCKED && waits < LOCK_TRIES; waits++) {
    const data = dict({ info: 'Zypper is locked by another process.', success: false });
    await ctx.functions.call('event.fire_master', [data, 'zypper/blocked']);
    ctx.log.debug('Waiting 5 seconds for Zypper gets released...');
    await ctx.clock.sleep(LOCK_WAIT_MS, ctx.signal);
    ran = await run();
  }
  if (waits > 0) {
    const data = dict({ success: ran.retcode !== LOCKED, info: 'Zypper has been released' });
    await ctx.functions.call('event.fire_master', [data, 'zypper/released']);
  }
  return ran;
}

function xmlOf(text: string): XmlElement | undefined {
  try {
    return parseXml(text);
  } catch {
    return undefined;
  }
}

function errorIn({ stdout, stderr }: Ended, isXml: boolean, xml: XmlElement | undefined): string {
  const said =
    xml !== undefined
      ? elementsOf(xml, 'message')
          .filter((node) => node.attributes.get('type') === 'error')
          .map((node) => node.text)
          .join('\n')
      : isXml
        ? stderr.trim()
        : stderr.trim() + stdout.trim();
  return said === '' ? "Check Zypper's logs." : said;
}

/** All elements of a name, however deep. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...elementsOf(child, name),
  ]);
}

/** The attributes of an element. */
export function attributesDict({ attributes }: XmlElement): Dict {
  return new Map<Value, Value>(attributes);
}
