import type { Feature } from '../access/feature.ts'
import { applyCleanupRule } from './cleanup/apply-cleanup-rule.job.ts'
import * as cleanupRuleRoutes from './cleanup/cleanup-rule.routes.ts'
import { cleanupPackages, deletePackageContents } from './cleanup/cleanup-packages.task.ts'
import * as archRoutes from './arch/arch.routes.ts'
import * as cargoRoutes from './cargo/cargo.routes.ts'
import * as conanRoutes from './conan/conan.routes.ts'
import * as conanV1Routes from './conan/conan-v1.routes.ts'
import * as condaRoutes from './conda/conda.routes.ts'
import * as containerRoutes from './container/container.routes.ts'
import * as debianRoutes from './debian/debian.routes.ts'
import * as goRoutes from './go/go.routes.ts'
import * as helmRoutes from './helm/helm.routes.ts'
import * as mavenRoutes from './maven/maven.routes.ts'
import * as pypiRoutes from './pypi/pypi.routes.ts'
import * as composerRoutes from './composer/composer.routes.ts'
import * as pubRoutes from './pub/pub.routes.ts'
import * as vagrantRoutes from './vagrant/vagrant.routes.ts'
import * as chefRoutes from './chef/chef.routes.ts'
import * as cranRoutes from './cran/cran.routes.ts'
import * as swiftRoutes from './swift/swift.routes.ts'
import * as nugetRoutes from './nuget/nuget.routes.ts'
import * as alpineRoutes from './alpine/alpine.routes.ts'
import * as rubygemsRoutes from './rubygems/rubygems.routes.ts'
import * as altRoutes from './alt/alt.routes.ts'
import * as rpmRoutes from './rpm/rpm.routes.ts'
import { archiveThread } from './formats/archive-thread.ts'
import { digestWork } from './content/digest.service.ts'
import { packagesCheck } from './doctor.service.ts'
import * as genericRoutes from './generic/generic.routes.ts'
import * as npmRoutes from './npm/npm.routes.ts'
import { ownedPackages } from './package.owned.ts'
import * as packageRoutes from './package.routes.ts'
import { unlinkTransferred } from './package.subscribers.ts'
import { packageKeyPurpose } from './indexes/signing.service.ts'
import { registryCredentials } from './registry/registry-token.ts'
import { upstreamClient, upstreamWork } from './upstream/upstream-client.ts'
import * as upstreamRoutes from './upstream/upstream.routes.ts'
import { upstreamSecretPurpose } from './upstream/upstream.service.ts'

/** Packages of accounts and organizations, and their registries. */
export const packages: Feature = {
  routes: [
    packageRoutes,
    genericRoutes,
    npmRoutes,
    cargoRoutes,
    debianRoutes,
    rpmRoutes,
    altRoutes,
    rubygemsRoutes,
    alpineRoutes,
    containerRoutes,
    composerRoutes,
    pubRoutes,
    vagrantRoutes,
    chefRoutes,
    cranRoutes,
    swiftRoutes,
    nugetRoutes,
    goRoutes,
    helmRoutes,
    mavenRoutes,
    pypiRoutes,
    archRoutes,
    upstreamRoutes,
    cleanupRuleRoutes,
    conanRoutes,
    condaRoutes,
    conanV1Routes,
  ],
  credentials: [registryCredentials],
  sealed: [
    { table: 'package_key', column: 'sealed_key', purpose: packageKeyPurpose },
    { table: 'package_upstream', column: 'sealed_secret', purpose: upstreamSecretPurpose },
  ],
  services: [archiveThread, digestWork, upstreamClient, upstreamWork],
  subscribers: [unlinkTransferred],
  jobs: [deletePackageContents, applyCleanupRule],
  schedules: (config) => [cleanupPackages(config)],
  files: [{ table: 'package_blob', column: 'blob_key', store: 'packages' }],
  doctor: [packagesCheck],
  owns: [ownedPackages],
}
