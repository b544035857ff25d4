/** `mysql`: MariaDB and MySQL. Follows 3006.16 salt/modules/mysql.py. */
import { defineModule } from '../../runtime/loader/module.ts';
import { databaseFunctions } from './module/databases.ts';
import { grantFunctions } from './module/grant-functions.ts';
import { queryFunctions } from './module/queries.ts';
import { serverFunctions } from './module/server-functions.ts';
import { userFunctions } from './module/users.ts';

/** The module. */
export const mysqlModule = defineModule({
  name: 'mysql',
  file: 'mysql',
  doc: 'MariaDB and MySQL. Keywords of all functions: connection_host, connection_port, connection_user, connection_pass, connection_db, connection_unix_socket, connection_default_file, connection_default_group, connection_charset, client_flags.',
  failsWith: {
    false: [
      'alter_db',
      'db_create',
      'db_remove',
      'file_query',
      'grant_add',
      'grant_revoke',
      'plugin_add',
      'plugin_remove',
      'query',
      'user_chpass',
      'user_create',
      'user_info',
      'user_remove',
      'user_grants',
      'db_tables',
    ],
    empty: ['alter_db', 'db_list', 'status', 'version'],
  },
  functions: {
    ...queryFunctions,
    ...serverFunctions,
    ...databaseFunctions,
    ...userFunctions,
    ...grantFunctions,
  },
});
