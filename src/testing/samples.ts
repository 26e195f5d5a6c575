/** What the API takes for the bytes of files and pictures. */
export const base64 = (content: string | Buffer): string => Buffer.from(content as string).toString('base64')

/** The header of a sign-in by name and password. */
export const basicAuthorization = (login: string, password: string): string => `Basic ${base64(`${login}:${password}`)}`

/** A PNG of one pixel, in base64. */
export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A public key for SSH that belongs to nobody. */
export const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN/Cr3JXqmLW7u+g9pTh+wyqDHpSQEIQczXkVx9q'
