import { ownService } from '../../access/own-service.ts'
import { HourlyLimit } from '../../users/entry/hourly-limit.ts'

/** Limits of invitations within an hour, counted in this process, because a deleted team deletes its invitations. */
export const invitationLimits = ownService('the limits of invitations', {
  open: ({ clock }) => ({
    /** Invitations of one account, and of all. */
    made: new HourlyLimit(clock, { perAddress: 50, inAll: 2000 }),
    /** Mails with invitations to one address. */
    mailed: new HourlyLimit(clock, { perAddress: 5, inAll: Number.POSITIVE_INFINITY }),
  }),
})
