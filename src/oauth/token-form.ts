/** Prefixes of tokens, which 52 base-32 characters follow. */
export const accessTokenPrefix = 'ioa_'
export const refreshTokenPrefix = 'ior_'

/** Returns whether a text has the form of an access token, so that other credentials cost no query. */
export const looksLikeAccessToken = (text: string): boolean => /^ioa_[a-z2-7]{52}$/.test(text)

/** The grant type of the device flow (RFC 8628, 3.4). */
export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code'
