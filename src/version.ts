/** Versions that users and other programs see. */

/** The version of this software; the same as in package.json. */
export const brineVersion = '0.1.0';

/**
 * The Salt release whose behaviour and protocol we follow. Templates and masters compare it (`grains.saltversion`),
 * so it is a version that Salt has had.
 */
export const saltCompatVersion = '3006.16';
