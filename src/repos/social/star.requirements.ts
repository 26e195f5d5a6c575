import { switchedOn } from '../../access/requirements.ts'

/** Requires `[repository].DISABLE_STARS` to be off. */
export const starsOn = switchedOn('starsEnabled', (config) => !config.repository.disableStars)
