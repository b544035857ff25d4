/**
 * What Debian's Apache has enabled: links beside the configuration, and `a2enmod` and its kin. Follows 3006.16
 * salt/modules/deb_apache.py.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import { isLink } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { runCode } from '../../shared/program.ts';

/** One kind of what can be enabled. */
interface Kind {
  /** As it is in `Apache2 Enable Mod`. */
  readonly title: string;
  /** The name of the parameter, and the end of the functions' names. */
  readonly word: 'mod' | 'site' | 'conf';
  readonly noun: string;
  isEnabled(name: string): boolean;
  /** The functions fail with Salt's sentence where the program is missing. */
  readonly isGuarded?: boolean;
}

const withEnding = (name: string, ...endings: readonly string[]): string =>
  endings.some((ending) => name.endsWith(ending)) ? name : `${name}${endings[0] ?? ''}`;

const SITES = '/etc/apache2/sites-enabled';

const KINDS: readonly Kind[] = [
  {
    title: 'Site',
    word: 'site',
    noun: 'site',
    isEnabled: (name) => {
      const file = withEnding(name, '.conf');
      return isLink(`${SITES}/${file}`) || (name === 'default' && isLink(`${SITES}/000-${file}`));
    },
  },
  {
    title: 'Mod',
    word: 'mod',
    noun: 'module',
    isEnabled: (name) => isLink(`/etc/apache2/mods-enabled/${withEnding(name, '.load', '.conf')}`),
  },
  {
    title: 'Conf',
    word: 'conf',
    noun: 'piece of configuration',
    isEnabled: (name) => isLink(`/etc/apache2/conf-enabled/${withEnding(name, '.conf')}`),
    isGuarded: true,
  },
];

/**
 * Runs one of the programs.
 * @throws CommandExecutionError where it is missing; Salt returns the exception instead of raising it
 */
async function switched(ctx: ModuleContext, kind: Kind, given: Value, isOn: boolean): Promise<Dict> {
  const program = `a2${isOn ? 'en' : 'dis'}${kind.word}`;
  if (kind.isGuarded === true && findProgram(program) === undefined)
    throw new CommandExecutionError(`Command '${program}' is not available`);
  const status = await runCode(ctx, [program, given]);
  const said = `${kind.title} ${pyStr(given)}`;
  return dict({
    Name: `Apache2 ${isOn ? 'Enable' : 'Disable'} ${kind.title}`,
    [kind.title]: given,
    Status:
      status === 0
        ? `${said} ${isOn ? 'enabled' : 'disabled'}`
        : status === (isOn ? 1 : 256)
          ? `${said} Not found`
          : status,
  });
}

function functionsOf(kind: Kind): Record<string, FunctionSpec> {
  const { word, noun } = kind;
  const params = { [word]: param.value({ type: 'str', doc: `The ${noun}, with or without its ending.` }) };
  const given = (args: Readonly<Record<string, Value>>): Value => args[word] ?? null;
  const returns = 'mapping with Name, what was given, and Status';
  return {
    [`check_${word}_enabled`]: defineFunction({
      doc: `Returns whether a ${noun} is enabled.`,
      params,
      returns: 'true or false',
      examples: [`salt '*' apache.check_${word}_enabled status`],
      run: (_ctx, args) => kind.isEnabled(pyStr(given(args))),
    }),
    [`a2en${word}`]: defineFunction({
      doc: `Enables a ${noun} with \`a2en${word}\`.`,
      params,
      returns,
      examples: [`salt '*' apache.a2en${word} status`],
      run: (ctx, args) => switched(ctx, kind, given(args), true),
    }),
    [`a2dis${word}`]: defineFunction({
      doc: `Disables a ${noun} with \`a2dis${word}\`.`,
      params,
      returns,
      examples: [`salt '*' apache.a2dis${word} status`],
      run: (ctx, args) => switched(ctx, kind, given(args), false),
    }),
  };
}

/** The functions that only Debian's Apache has. */
export const DEBIAN_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = Object.assign(
  {},
  ...KINDS.map(functionsOf),
) as Record<string, FunctionSpec>;
