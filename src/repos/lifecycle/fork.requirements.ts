import { switchedOn } from '../../access/requirements.ts'

/** Requires `[repository].DISABLE_FORKS` to be off. */
export const forksOn = switchedOn('forksEnabled', (config) => !config.repository.disableForks)
