// Runs Send Template and Wait as n8n's Engine 2.0 does, with n8n's own executor of steps. A program of its own, because
// the executor needs the Node.js and the modules of n8n. Writes how it ends.
const { createRequire } = require('node:module');

const [, , hostPackage, ourNode, parameters] = process.argv;
const fromN8n = createRequire(createRequire(hostPackage).resolve('n8n/package.json'));
// As for n8n, our package gets the n8n-workflow that n8n itself uses.
const Module = require('node:module');
const resolve = Module._resolveFilename;
const ofN8n = fromN8n.resolve('n8n-workflow');
Module._resolveFilename = (name, ...others) =>
	name === 'n8n-workflow' ? ofN8n : resolve(name, ...others);

async function run() {
	const { Expression } = fromN8n('n8n-workflow');
	const { V1StepExecutor } = fromN8n('@n8n/node-engine-compatibility');
	const limits = {
		poolSize: 1,
		maxCodeCacheSize: 100,
		bridgeTimeout: 5_000,
		bridgeMemoryLimit: 128,
	};
	await Expression.initExpressionEngine({ engine: 'vm', ...limits });
	const { WorkspaceCrm } = require(ourNode);
	const node = new WorkspaceCrm();
	const address = 'https://n8n.example.com/';
	// Nobody listens there: a request would be an error of its own.
	const credential = { baseUrl: 'http://127.0.0.1:9', apiKey: 'key', authHeader: 'bearer' };
	const executor = new V1StepExecutor({
		nodeTypes: {
			getByNameAndVersion: () => node,
			getByName: () => node,
			getKnownTypes: () => ({}),
		},
		additionalDataFactory: async () => ({
			credentialsHelper: {
				getParentTypes: () => [],
				getDecrypted: async () => credential,
				getCredentialsProperties: () => [],
				isCredentialUsableByNode: () => true,
				authenticate: async (_data, _type, options) => options,
				preAuthentication: async () => undefined,
			},
			executionId: '1',
			externalSecretsProxy: { hasProvider: () => false, listProviders: () => [] },
			restApiUrl: `${address}rest`,
			formWaitingBaseUrl: `${address}form-waiting`,
			webhookWaitingBaseUrl: `${address}webhook-waiting`,
			variables: {},
		}),
		loadStepData: async () => ({ graph: { nodes: [], edges: [] }, outputsByNode: {} }),
	});
	const config = {
		nodeType: 'n8n-nodes-workspace-crm.workspaceCrm',
		typeVersion: 1,
		parameters: JSON.parse(parameters),
		continueOnFail: false,
		credentials: { workspaceCrmApi: { id: '1', name: 'CRM' } },
	};
	return await executor.execute({
		node: { id: 'crm', name: 'CRM', type: 'v1-node', config },
		inputs: [[{ json: { approved: true, replied: true } }]],
		context: {
			workflowId: 'w',
			executionId: '1',
			iteration: 0,
			callerContext: { hostMode: 'trigger' },
		},
	});
}

run()
	.catch(({ message, description }) => ({ message, description }))
	.then((result) => {
		process.stdout.write(JSON.stringify(result));
		process.exit(0);
	});
