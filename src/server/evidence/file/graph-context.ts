import { canonicalJson } from '../canonical.ts'

/**
 * What the names in a file mean, in terms of the W3C Data Privacy Vocabulary where it has one (JSON-LD 1.1; the guide on
 * ISO/IEC TS 27560 at https://w3id.org/dpv/guides/consent-27560). What it has no term for is named in our own vocabulary.
 */
const CONTEXT = {
  '@version': 1.1,
  '@vocab': 'urn:portico:evidence#',
  dct: 'http://purl.org/dc/terms/',
  dpv: 'https://w3id.org/dpv#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  ConsentNotice: 'dpv:ConsentNotice',
  ConsentRecord: 'dpv:ConsentRecord',
  accepted: 'dpv:ConsentGiven',
  consent_id: 'dpv:hasDataSubject',
  contact: 'dpv:hasContact',
  controller: 'dpv:hasDataController',
  country: 'dpv:hasCountry',
  desempenho: 'dpv:ServiceOptimisation',
  event: 'dpv:hasIndicationMethod',
  first_served_at: { '@id': 'dct:issued', '@type': 'xsd:dateTime' },
  funcionalidade: 'dpv:Personalisation',
  given: 'dpv:ConsentGiven',
  jurisdiction: 'dpv:hasJurisdiction',
  language: 'dct:language',
  legal_basis: 'dpv:hasLegalBasis',
  marketing: 'dpv:Marketing',
  name: 'dpv:hasName',
  notice: 'dpv:hasNotice',
  parties: 'dct:requires',
  purpose: { '@id': 'dpv:hasPurpose', '@type': '@vocab' },
  purposes: { '@id': 'dpv:hasProcess', '@container': '@set' },
  recipients: { '@id': 'dpv:hasRecipient', '@container': '@set' },
  record_id: 'dct:identifier',
  recorded_at: { '@id': 'dpv:isIndicatedAtTime', '@type': 'xsd:dateTime' },
  refused: 'dpv:ConsentRefused',
  retention_days: 'dpv:hasDuration',
  schema_version: 'dct:conformsTo',
  status: { '@id': 'dpv:hasConsentStatus', '@type': '@vocab' },
  // What a vendor's purpose is told in is a sentence, and no term.
  vendors: {
    '@id': 'urn:portico:evidence#vendors',
    '@container': '@set',
    '@context': { purpose: 'dct:description' },
  },
  version: 'dct:hasVersion',
  withdrawal: 'dpv:hasConsentControl',
}

const headOf = (context: object) => `{"@context":${canonicalJson(context)},"@graph":[\n`

/** A file is one JSON-LD document whose graph has one node on each line, so that it can be read line by line. */
export const GRAPH_HEAD = headOf(CONTEXT)
/** Of files that were written before `vendors` had a context of its own: what they prove is the same. */
const { vendors: _vendors, ...FORMER_CONTEXT } = CONTEXT
export const FORMER_GRAPH_HEAD = headOf(FORMER_CONTEXT)
export const GRAPH_FOOT = ']}\n'
