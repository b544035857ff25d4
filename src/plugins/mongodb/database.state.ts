/** `mongodb_database`: databases of MongoDB (3006.16 salt/states/mongodb_database.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { AUTHDB, LOGIN } from './module/server.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

/** The states of `mongodb_database`. */
export const mongodbDatabaseStates = defineModule({
  name: 'mongodb_database',
  file: 'mongodb_database',
  doc: 'Databases of MongoDB. The server makes one when something is first written to it.',
  functions: {
    absent: defineState({
      doc: 'Makes sure that there is no such database.',
      params: { name: param.text({ doc: 'The database.' }), ...LOGIN, ...AUTHDB },
      run: async (ctx, { name, ...login }) => {
        const found = await ctx.functions.call('mongodb.db_list', [], dict(login));
        // Salt compat: Salt says that a database is not present where it could not ask.
        if (!Array.isArray(found)) return failure(name, pyStr(found));
        if (!found.includes(name)) return outcome(name, true, `Database ${name} is not present`);
        if (ctx.state.test) return outcome(name, null, `Database ${name} is present and needs to be removed`);
        const answer = await ctx.functions.call('mongodb.db_remove', [name], dict(login));
        return answer === true
          ? outcome(name, true, `Database ${name} has been removed`, dict().set(name, 'Absent'))
          : failure(name, pyStr(answer));
      },
    }),
  },
});
