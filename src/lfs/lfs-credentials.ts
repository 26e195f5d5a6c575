/**
 * Credentials of the LFS API: those of git, and tickets. Wrong ones are refused for public repositories too (contract).
 */
export const lfsCredentials = {
  accepts: ['token', 'basic', 'oauth2', 'job', 'lfs'],
  wrongCredentials: 'refused',
} as const
