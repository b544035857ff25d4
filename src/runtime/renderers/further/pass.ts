/**
 * The pass renderer: texts that name entries of the password store become what is in them (3006.16
 * salt/renderers/pass.py).
 */
import { homedir } from 'node:os';
import { messageOf } from '../../../errors/errors.ts';
import { ownEnvironment, runProcess } from '../../../host/process.ts';
import { findProgram } from '../../../host/which.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { truthy } from '../../../python/values/value.ts';
import { SaltRenderError, type RenderContext, type RendererDeps, type RendererSpec } from '../renderer.ts';
import { mapTexts, refuseIfSent } from '../sent-by-minion.ts';

const TIMEOUT_MS = 30_000;
const SECRET_BYTES_MAX = 16 * 1024 * 1024;

interface Store {
  readonly program: string;
  readonly prefix: string;
  readonly isStrict: boolean;
  readonly env: ReadonlyMap<string, string>;
}

/**
 * Asks the program `pass` for each text, or for those with the prefix `pass_variable_prefix`. An entry is read once for
 * each file. With a prefix, what a minion has sent itself is not looked up for it.
 */
export const passRenderer: RendererSpec = {
  name: 'pass',
  doc: 'Replaces names of secrets by what the password store `pass` has for them.',
  make: (deps) => async (input, context) => {
    const store = storeOf(context);
    const read = new Map<string, string | undefined>();
    return mapTexts(input, async (text) => {
      if (!text.startsWith(store.prefix)) return text;
      const entry = text.slice(store.prefix.length).trim();
      if (store.prefix !== '') refuseIfSent(text.replace(/\s+/g, ''), context);
      if (!read.has(entry)) read.set(entry, await secretOf(entry, store, deps));
      return read.get(entry) ?? text;
    });
  },
};

/** @throws SaltRenderError without the program, and for options that do not fit one another */
function storeOf(context: RenderContext): Store {
  const program = findProgram('pass');
  if (program === undefined) throw new SaltRenderError('pass unavailable: the program pass is not installed');
  const option = (name: string): string => {
    const value = context.opt(name);
    return typeof value === 'string' ? value : '';
  };
  const prefix = option('pass_variable_prefix');
  const isStrict = truthy(context.opt('pass_strict_fetch'));
  if (isStrict && prefix === '')
    throw new SaltRenderError(
      "The 'pass_strict_fetch' option requires 'pass_variable_prefix' option enabled",
    );
  const [folder, keys] = [option('pass_dir'), option('pass_gnupghome')];
  const env = ownEnvironment();
  env.set('HOME', homedir());
  if (folder !== '') env.set('PASSWORD_STORE_DIR', folder);
  if (keys !== '') env.set('GNUPGHOME', keys);
  // a passphrase that no agent knows must not keep the pillar waiting
  env.set('PASSWORD_STORE_GPG_OPTS', '--batch --no-tty --pinentry-mode error');
  return { program, prefix, isStrict, env };
}

/** @returns undefined when there is no such entry and that is no fault */
async function secretOf(
  entry: string,
  { program, isStrict, env }: Store,
  { clock, log }: RendererDeps,
): Promise<string | undefined> {
  const fault = await tried();
  if ('secret' in fault) return fault.secret;
  const sentence = `Could not fetch secret '${entry}' from the password store: ${fault.reason}`;
  if (isStrict) throw new SaltRenderError(sentence);
  log.warning(sentence);
  return undefined;

  async function tried(): Promise<{ readonly secret: string } | { readonly reason: string }> {
    // pass takes words with a dash in front for options, also behind `--`
    if (entry.startsWith('-')) return { reason: 'a name with a dash in front is none of an entry' };
    try {
      const { retcode, stdout, stderr, timedOut } = await runProcess([program, 'show', entry], {
        env,
        timeoutMs: TIMEOUT_MS,
        diesWithUs: true,
        outputLimitBytes: SECRET_BYTES_MAX,
        clock,
      });
      if (timedOut) return { reason: `no answer of pass within ${TIMEOUT_MS / 1000} seconds` };
      const text = decodeUtf8(stdout);
      if (retcode !== 0 || stdout.length === 0) return { reason: stderr.toString() };
      return text === undefined ? { reason: 'it is not UTF-8' } : { secret: text.replace(/[\r\n]+$/, '') };
    } catch (error) {
      return { reason: messageOf(error) };
    }
  }
}
