/** What the modules `pkg` say in the same words. */
import { param } from '../../../runtime/loader/params.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import type { FunctionSpec } from '../../../runtime/loader/module.ts';
import { compareRpm, withoutEpoch } from './versions.ts';

/** What functions return that change packages. */
export const CHANGES = '`{package: {old, new}}` of what has changed';
/** The parameter `name`. */
export const name = param.value({
  default: null,
  type: 'str',
  doc: 'The package, or several separated by commas.',
});
/** The parameter `pkgs`. */
export const pkgs = param.value({ default: null, type: 'list', doc: 'Packages, also as `{name: version}`.' });
/** The parameter `root`. */
export const root = param.value({ default: null, type: 'str', doc: 'The folder of another system.' });
/** A flag that is off by itself. */
export const off = (doc: string): { readonly default: false; readonly type: 'bool'; readonly doc: string } =>
  param.value({
    default: false,
    type: 'bool',
    doc,
  });

/** `pkg.version_cmp` of rpm. @param one the name of the first parameter @param other that of the second */
export function rpmVersionComparison(one: string, other: string): FunctionSpec {
  return defineFunction({
    doc: 'Compares two versions.',
    params: {
      [one]: param.text({ doc: 'One.' }),
      [other]: param.text({ doc: 'The other.' }),
      ignore_epoch: param.strictFlag(off('Leave out epochs.')),
    },
    kwargs: 'kwargs',
    returns: '-1, 0 or 1',
    examples: ["salt '*' pkg.version_cmp '0.2-001' '0.2.0.1-002'"],
    run: (_ctx, { ignore_epoch, ...versions }) => {
      const [first = '', second = ''] = [one, other].map((key) => {
        const text = String(versions[key]);
        return ignore_epoch ? withoutEpoch(text) : text;
      });
      return compareRpm(first, second);
    },
  });
}
