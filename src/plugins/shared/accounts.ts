/** Accounts of this machine as other functions ask for them: a user or group by name, and the numbers of both. */
import { answered, readFilled, readNumber } from '../../runtime/loader/answered.ts';

/** `user.info`: the account; undefined when there is none of that name. */
export const userAccount = answered('user.info', readFilled);

/** `group.info`: the group; undefined when there is none of that name. */
export const groupAccount = answered('group.info', readFilled);

/** `file.user_to_uid`: the number of a user; undefined when there is none of that name. */
export const uidOf = answered('file.user_to_uid', readNumber);

/** `file.group_to_gid`: the number of a group; undefined when there is none of that name. */
export const gidOf = answered('file.group_to_gid', readNumber);
