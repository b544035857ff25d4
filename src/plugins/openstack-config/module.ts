/** `openstack_config`: settings in files of OpenStack. Follows 3006.16 salt/modules/openstack_config.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import type { Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { pathOperand, runAll } from '../shared/program.ts';

/** Names of settings whose values nobody else is to see, and addresses with a password. */
const SECRET_NAME = /pass(?:word|wd|phrase)|secret|token|credential|(?:^|_)(?:pass|pw|pwd|key|keys)$/i;
const SECRET_VALUE = /:\/\/[^/@\s]*:[^/@\s]+@/;
const isSecretSetting = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) || SECRET_VALUE.test(value);

const MISSING =
  'The "openstack-config" command needs to be installed for this function to work.  Typically this is included in the "openstack-utils" package.';

const SETTING = {
  filename: param.text({ doc: 'The file.' }),
  section: param.text({ doc: 'The section.' }),
  parameter: param.text({ doc: 'The name of the setting.' }),
} as const;
type Setting = { readonly filename: string; readonly section: string; readonly parameter: string };

/** @returns what the program says. @throws CommandExecutionError where it fails */
async function run(
  ctx: ModuleContext,
  action: string,
  { filename, section, parameter }: Setting,
  value?: string,
): Promise<Value> {
  if (findProgram('openstack-config') === undefined) return MISSING;
  const isSecret = value !== undefined && isSecretSetting(parameter, value);
  // Salt compat: there, every value is an argument, which every user of the machine reads
  const ended = isSecret
    ? await runAll(ctx, ['openstack-config', '--merge', pathOperand(filename), section], {
        stdin: `${parameter} = ${value}\n`,
        output_loglevel: 'quiet',
      })
    : await runAll(ctx, [
        ...['openstack-config', action, pathOperand(filename), section, parameter],
        ...(value === undefined ? [] : [value]),
      ]);
  if (ended.retcode !== 0) throw new CommandExecutionError(ended.stderr);
  return ended.stdout;
}

/** The module. */
export const openstackConfigModule = defineModule({
  name: 'openstack_config',
  file: 'openstack_config',
  doc: 'Settings in files of OpenStack, by openstack-config.',
  words: { dashes: ['value'] },
  functions: {
    set: defineFunction({
      doc: 'Sets a value.',
      params: { ...SETTING, value: param.text({ doc: 'The value.' }) },
      returns: 'what the program says',
      examples: ["salt '*' openstack_config.set /etc/keystone/keystone.conf sql connection foo"],
      pythonName: 'set_',
      run: (ctx, { value, ...setting }) => run(ctx, '--set', setting, value),
    }),
    get: defineFunction({
      doc: 'Returns a value.',
      params: SETTING,
      returns: 'the value',
      examples: ["salt '*' openstack_config.get /etc/keystone/keystone.conf sql connection"],
      run: (ctx, setting) => run(ctx, '--get', setting),
    }),
    delete: defineFunction({
      doc: 'Removes a setting.',
      params: SETTING,
      returns: 'what the program says',
      examples: ["salt '*' openstack_config.delete /etc/keystone/keystone.conf sql connection"],
      run: (ctx, setting) => run(ctx, '--del', setting),
    }),
  },
});
