/** How tokens begin; 52 base-32 letters follow. */
export const accessTokenPrefix = 'ioa_'
export const refreshTokenPrefix = 'ior_'

/** Whether a text has the form of an access token, so that other credentials are not looked for among them. */
export const looksLikeAccessToken = (text: string): boolean => /^ioa_[a-z2-7]{52}$/.test(text)

/** What a device calls its grant (RFC 8628, 3.4). */
export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code'
