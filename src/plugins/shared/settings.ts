/**
 * Settings of a minion as other functions ask for them: `config.option` and `config.get` look into the configuration,
 * the grains and the pillar. Each is read as one kind of value, and one that is nothing (None, '', False) is left out.
 */
import { answered, readFilled, readFlag, readNumber, readText } from '../../runtime/loader/answered.ts';

/** `config.option` as a text. */
export const optionText = answered('config.option', readText);

/** `config.option` as a flag. */
export const optionFlag = answered('config.option', readFlag);

/** `config.option` as a mapping, such as the profile of a server; undefined for an empty one. */
export const optionDict = answered('config.option', readFilled);

/** `config.get` as a text. */
export const settingText = answered('config.get', readText);

/** `config.get` as a flag. */
export const settingFlag = answered('config.get', readFlag);

/** `config.get` as a number. */
export const settingNumber = answered('config.get', readNumber);

/** `pillar.get` as a text. */
export const pillarText = answered('pillar.get', readText);
