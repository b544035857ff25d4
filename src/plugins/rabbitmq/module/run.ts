/** Running `rabbitmqctl` and `rabbitmq-plugins`. */
import { findProgram } from '../../../host/which.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, type Ended } from '../../shared/program.ts';
import { checked } from './output.ts';
import { installedVersion } from '../../shared/installed-versions.ts';

/** Options of a run: as whom, and what no log is to show. */
export interface RabbitRun {
  readonly runas: Value;
  readonly secret?: boolean;
  readonly stdin?: string;
  /** A failure is expected, and is not the job's. */
  readonly mayFail?: boolean;
}

function keywords({ runas, secret = false, stdin, mayFail = false }: RabbitRun): DictInit {
  return {
    reset_system_locale: false,
    runas,
    ...(secret ? { output_loglevel: 'quiet' } : {}),
    ...(stdin === undefined ? {} : { stdin }),
    ...(mayFail ? { ignore_retcode: true } : {}),
  };
}

/** Runs `rabbitmqctl`, whatever comes of it. */
export function control(ctx: ModuleContext, words: readonly Value[], run: RabbitRun): Promise<Ended> {
  return runAll(ctx, [findProgram('rabbitmqctl') ?? 'rabbitmqctl', ...words], keywords(run));
}

/** What `rabbitmqctl` printed. @throws CommandExecutionError where it failed */
export async function printed(ctx: ModuleContext, words: readonly Value[], runas: Value): Promise<string> {
  return checked(await control(ctx, words, { runas })).stdout;
}

/** The same under a word that says what was done. */
export async function reported(
  ctx: ModuleContext,
  words: readonly Value[],
  { runas, word }: { readonly runas: Value; readonly word: string },
): Promise<Dict> {
  return dict({ [word]: await printed(ctx, words, runas) });
}

/** The version of the installed package up to its first dash; empty where it is not known. */
export async function packageVersion(ctx: ModuleContext): Promise<string> {
  const name = ctx.grains.get('os_family') === 'FreeBSD' ? 'rabbitmq' : 'rabbitmq-server';
  return ((await installedVersion(ctx, [name])) ?? '').split('-')[0] ?? '';
}

/** True when a version is not before another. @param wanted numbers, the most significant first */
export function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const numbers = version.split('.').map(Number);
  for (const [i, number] of wanted.entries()) {
    const own = numbers[i] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

/** Runs `rabbitmq-plugins`, which some packages leave where no `PATH` leads. */
export async function plugins(ctx: ModuleContext, words: readonly string[], runas: Value): Promise<string> {
  const hidden = async (): Promise<string> =>
    `/usr/lib/rabbitmq/lib/rabbitmq_server-${await packageVersion(ctx)}/sbin/rabbitmq-plugins`;
  const program = findProgram('rabbitmq-plugins') ?? (await hidden());
  return checked(await runAll(ctx, [program, ...words], keywords({ runas }))).stdout;
}
