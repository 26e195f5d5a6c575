import type { Feature } from '../access/feature.ts'
import * as apiDocsRoutes from './api/api-docs.routes.tsx'
import * as explorePage from './explore/explore.page.tsx'
import * as galleryPage from './gallery/gallery.page.tsx'
import * as homePage from './home/home.page.tsx'
import * as otherAddressRoutes from './links/other-addresses.routes.ts'
import * as unsubscribeRoutes from './links/unsubscribe.routes.tsx'
import * as notificationsPage from './notifications/notifications.page.tsx'
import * as subscriptionsPage from './notifications/subscriptions.page.tsx'
import * as profilePage from './profile/profile.page.tsx'
import * as assetRoutes from './shell/assets.routes.ts'
import { sessions } from './shell/browser.credentials.ts'
import * as unknownAddressRoutes from './shell/unknown-address.routes.ts'
import * as wikiCommitPage from './wiki/wiki-commit.page.tsx'
import * as wikiFilePage from './wiki/wiki-file.page.ts'
import * as wikiPage from './wiki/wiki.page.tsx'

/** Pages of the places that have no feature of their own, and sessions of browsers. */
export const web: Feature = {
  credentials: [sessions],
  routes: [
    apiDocsRoutes,
    assetRoutes,
    explorePage,
    galleryPage,
    homePage,
    notificationsPage,
    otherAddressRoutes,
    profilePage,
    subscriptionsPage,
    unknownAddressRoutes,
    unsubscribeRoutes,
    wikiCommitPage,
    wikiFilePage,
    wikiPage,
  ],
}
