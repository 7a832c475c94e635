/** Fields of HTTP Request that come to the same. */
export interface Fields {
	names: string[];
	/** What n8n makes of them, as options of the request. */
	become: string;
	/** What holds the key back. */
	hold: string;
}

/** All fields of HTTP Request 4.5; a test finds any that is not here. */
export const fields: Fields[] = [
	{
		names: ['url'],
		become: '`uri`',
		hold: 'must be below the base URL of the credential; what was checked is what is sent',
	},
	{
		names: ['method', 'options.webdavMethods'],
		become: '`method`',
		hold: 'only GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
	},
	{
		names: [
			'sendHeaders',
			'specifyHeaders',
			'headerParameters.parameters.name',
			'headerParameters.parameters.value',
			'jsonHeaders',
			'options.lowercaseHeaders',
		],
		become: '`headers`',
		hold: 'none that steer the connection, in any letters; those of the key are replaced; values are texts',
	},
	{
		names: [
			'options.pagination.pagination.paginationMode',
			'options.pagination.pagination.webhookNotice',
			'options.pagination.pagination.nextURL',
			'options.pagination.pagination.parameters.parameters.type',
			'options.pagination.pagination.parameters.parameters.name',
			'options.pagination.pagination.parameters.parameters.value',
			'options.pagination.pagination.paginationCompleteWhen',
			'options.pagination.pagination.statusCodesWhenComplete',
			'options.pagination.pagination.completeExpression',
			'options.pagination.pagination.limitPagesFetched',
			'options.pagination.pagination.maxRequests',
			'options.pagination.pagination.requestInterval',
		],
		become: '`url` and `uri`, `headers`, `qs`, `body` of each further request',
		hold: 'each page is checked like the first',
	},
	{
		names: ['options.proxy'],
		become: '`proxy`',
		hold: 'refused',
	},
	{
		names: ['options.allowUnauthorizedCerts'],
		become: '`rejectUnauthorized`',
		hold: 'refused',
	},
	{
		names: ['provideSslCertificates', 'provideSslCertificatesNotice', 'sslCertificate'],
		become: '`agentOptions`: `ca`, `cert`, `key`, `passphrase`',
		hold: 'a client certificate may be given, an authority (`ca`) not',
	},
	{
		names: [
			'options.redirect.redirect.followRedirects',
			'options.redirect.redirect.maxRedirects',
			'options.sendCredentialsOnCrossOriginRedirect',
		],
		become:
			'`followRedirect`, `followAllRedirects`, `maxRedirects`, `sendCredentialsOnCrossOriginRedirect`',
		hold: 'set so that no redirect is followed',
	},
	{
		names: [
			'sendQuery',
			'specifyQuery',
			'queryParameters.parameters.name',
			'queryParameters.parameters.value',
			'jsonQuery',
			'options.queryParameterArrays',
		],
		become: '`qs`, `qsStringifyOptions`',
		hold: 'stands behind the path, so it changes no host',
	},
	{
		names: [
			'sendBody',
			'contentType',
			'specifyBody',
			'bodyParameters.parameters.name',
			'bodyParameters.parameters.value',
			'bodyParameters.parameters.parameterType',
			'bodyParameters.parameters.inputDataFieldName',
			'jsonBody',
			'body',
			'inputDataFieldName',
			'rawContentType',
		],
		become: '`body`, `form`, `formData`, the headers Content-Type and Content-Length',
		hold: 'goes to the service, and the key is not in it',
	},
	{
		names: [
			'options.response.response.fullResponse',
			'options.response.response.neverError',
			'options.response.response.responseFormat',
			'options.response.response.outputPropertyName',
		],
		become: '`resolveWithFullResponse`, `simple`, `encoding`, `json`, `useStream`',
		hold: 'change what is read of the answer; see the last table',
	},
	{
		names: [
			'options.timeout',
			'options.batching.batch.batchSize',
			'options.batching.batch.batchInterval',
		],
		become: '`timeout`; when requests are sent',
		hold: 'no matter',
	},
	{
		names: ['authentication', 'nodeCredentialType', 'genericAuthType'],
		become: 'which credential signs the request',
		hold: 'another credential has another key',
	},
	{
		names: ['curlImport', 'googleApiWarning', 'infoMessage'],
		become: 'nothing',
		hold: 'no matter',
	},
	{
		names: [
			'toolDescription',
			'optimizeResponse',
			'responseType',
			'dataField',
			'fieldsToInclude',
			'fields',
			'cssSelector',
			'onlyContent',
			'elementsToOmit',
			'truncateResponse',
			'maxLength',
		],
		become: 'what an agent gets of the answer',
		hold: 'no matter',
	},
];
