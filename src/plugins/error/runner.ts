/** `error.*`: errors on purpose (salt/runners/error.py, 3006.16). */
import { raisePythonError } from '../../python/raise.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

/** The exception that is meant; undefined for none. */
function classNameOf(value: Value): string | undefined {
  if (value === null) return undefined;
  return truthy(value) ? pyStr(value) : 'Exception';
}

/** The error runner. */
export const errorRunners = defineRunners({
  name: 'error',
  doc: 'Errors on purpose, to try how they arrive.',
  functions: {
    error: defineRunner({
      doc: 'Raises one of the exceptions of Python or Salt by its name.',
      params: {
        name: param.by(classNameOf, {
          default: null,
          type: 'str',
          doc: 'The name; without it nothing is raised.',
        }),
        message: param.text({ default: '', doc: 'The message.' }),
      },
      returns: 'an empty mapping',
      examples: ['salt-run error.error', 'salt-run error.error name="Exception" message="This is an error."'],
      run: (_ctx, { name, message }) => {
        if (name === undefined) return new Map();
        raisePythonError(`salt.exceptions.${name}`, [message]);
        raisePythonError(name, [message]);
        throw new PythonError('salt.exceptions.SaltException', message);
      },
    }),
  },
});
