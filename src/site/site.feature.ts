import type { Feature } from '../access/feature.ts'
import * as blobAddressRoutes from './blob-address.routes.ts'
import * as versionRoutes from './version.routes.ts'
import * as settingsRoutes from './settings.routes.ts'
import * as templateRoutes from './template.routes.ts'
import * as markupRoutes from './markup.routes.ts'
import { databaseCheck, keyFileCheck, privatePathsCheck } from './doctor.service.ts'
import { beginSigning, openedKeys, signingKeyPurpose } from './signing-key.service.ts'

/** Facts and templates of the instance, and rendering. */
export const site: Feature = {
  routes: [versionRoutes, settingsRoutes, templateRoutes, markupRoutes, blobAddressRoutes],
  services: [openedKeys],
  sealed: [{ table: 'signing_key', column: 'sealed', purpose: signingKeyPurpose }],
  begin: (services) => beginSigning(services),
  doctor: [databaseCheck, keyFileCheck, privatePathsCheck],
}
