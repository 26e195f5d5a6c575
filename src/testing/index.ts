/** The public edge of the testing kit: `import { startForge } from 'ingot-forge/testing'`. */
export { startForge, testPassword, Forge, type Account, type ForgeOptions } from './forge.ts'
export { ForgeClient, type Answer, type Credentials, type SendOptions } from './client.ts'
export { Given, type GivenIssue, type GivenRepo } from './given.ts'
