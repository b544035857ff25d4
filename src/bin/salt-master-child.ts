import { runMasterChild } from '../master/child.ts';

runMasterChild();
