/** Credentials of the LFS API: those of git, and tickets. One that is wrong is refused where everybody may read, too (contract). */
export const lfsCredentials = {
  accepts: ['token', 'basic', 'oauth2', 'job', 'lfs'],
  wrongCredentials: 'refused',
} as const
