/** Encodes bytes for the API. */
export const base64 = (content: string | Buffer): string => Buffer.from(content as string).toString('base64')

/** Returns the header of Basic authentication. */
export const basicAuthorization = (login: string, password: string): string => `Basic ${base64(`${login}:${password}`)}`

/** A PNG of one pixel, in base64. */
export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A public SSH key without an owner. */
export const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN/Cr3JXqmLW7u+g9pTh+wyqDHpSQEIQczXkVx9q'
