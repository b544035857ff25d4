/** `error.*`: errors on purpose (salt/runners/error.py, 3006.16). */
import { raisePythonError } from '../../python/raise.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy } from '../../python/values/value.ts';
import { defineRunner, defineRunners } from './runner.ts';
import { param } from '../../runtime/loader/params.ts';

/** The error runner. */
export const errorRunners = defineRunners({
  name: 'error',
  doc: 'Errors on purpose, to try how they arrive.',
  functions: {
    error: defineRunner({
      doc: 'Raises one of the exceptions of Python or Salt by its name.',
      params: {
        name: { default: null, type: 'str', doc: 'The name; without it nothing is raised.' },
        message: param.text({ default: '', doc: 'The message.' }),
      },
      returns: 'an empty mapping',
      examples: ['salt-run error.error', 'salt-run error.error name="Exception" message="This is an error."'],
      run: (_ctx, { name, message }) => {
        if (name === null) return new Map();
        const named = truthy(name) ? pyStr(name) : 'Exception';
        raisePythonError(`salt.exceptions.${named}`, [message]);
        raisePythonError(named, [message]);
        throw new PythonError('salt.exceptions.SaltException', message);
      },
    }),
  },
});
