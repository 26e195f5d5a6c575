import { pathOf } from '../../ui/paths.ts'

/** The page of quotas. */
export const quotaPath = '/admin/quota'

/** Returns the page of a rule; its name may contain slashes, which are escaped. */
export const rulePath = (name: string): string => `${quotaPath}/rules/${encodeURIComponent(name)}`

/** Returns the page of a group; its name may contain slashes, which are escaped. */
export const groupPath = (name: string): string => `${quotaPath}/groups/${encodeURIComponent(name)}`

/** Returns the page of the quota of an account. */
export const accountQuotaPath = (name: string): string => pathOf('admin', 'users', name, 'quota')
