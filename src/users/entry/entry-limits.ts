import { ownService } from '../../access/own-service.ts'
import { HourlyLimit } from './hourly-limit.ts'

/** How often accounts are made and mails asked for, by guests. */
export const entryLimits = ownService('the limits of signing up', {
  open: ({ clock }) => ({
    /** Mails with links, to whichever address. */
    mails: new HourlyLimit(clock, { perAddress: 10, inAll: 2000 }),
    /** Accounts made at once, with a proof of work. */
    proven: new HourlyLimit(clock, { perAddress: 20, inAll: 2000 }),
    /** Accounts made at once without one, where no mail can stand for it. */
    unproven: new HourlyLimit(clock, { perAddress: 2, inAll: 10 }),
  }),
})
